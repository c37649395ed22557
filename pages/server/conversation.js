// Let messages between a page and its session end with them.
{
  let connection;
  window.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      connection = this;
    }

    send(message) {
      super.send(message);
      // The server keeps the last message, which may name a row, so a heartbeat replaces it.
      super.send(new Uint8Array(HEARTBEAT));
    }
  };
  // A browser keeps a page that is left, in case the reader goes back, with its connection (and so its session) and
  // with all that it shows. So the connection is closed here, and a page that comes back is loaded again.
  addEventListener("pagehide", () => connection?.close(LEFT));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}
