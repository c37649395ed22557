"""`python -m dpcore.data.samples [--write]`: make the sample tables again."""

import argparse
import hashlib

from dpcore.data import samples
from dpcore.data.samples.sources import MAKERS


def main(arguments: list[str] | None = None) -> int:
    """Make the sample tables and print their digests; with `--write` also write the files, else compare the digests."""
    parser = argparse.ArgumentParser(description="Regenerate or check the sample tables.")
    parser.add_argument("--write", action="store_true", help="write the files (default: only compare)")
    options = parser.parse_args(arguments)
    different = 0
    for sample in samples.SAMPLES.values():
        content = MAKERS[sample.key]()
        if options.write:
            samples.FOLDER.mkdir(exist_ok=True)
            sample.path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        different += digest != sample.sha256
        print(f"{sample.file} {len(content)} bytes sha256 {digest}{'' if digest == sample.sha256 else ' (differs)'}")
    return 0 if options.write else different


if __name__ == "__main__":
    raise SystemExit(main())
