"""Run every benchmark, or the ones named."""

import sys
from importlib import import_module
from pathlib import Path


def main(wanted: list[str]) -> int:
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))
    unknown = set(wanted) - set(names)
    if unknown:
        print(f"unknown benchmark {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
        return 2
    for name in wanted or names:
        print(f"== {name}", flush=True)
        for line in import_module(f"benchmarks.{name}").run():
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
