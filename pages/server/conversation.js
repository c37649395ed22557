// What a page and its session said to each other ends with them.
{
  let connection;
  window.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      connection = this;
    }

    send(message) {
      super.send(message);
      super.send(new Uint8Array(HEARTBEAT));  // takes the place of the last message, which the server keeps: it may name a row
    }
  };
  // A browser keeps a page that is left for the way back: with its connection, so its session, and with what it shows.
  addEventListener("pagehide", () => connection?.close(LEFT));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}
