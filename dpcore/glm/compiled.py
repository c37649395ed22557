"""What the loop of the stochastic average gradient method takes from the compiler; needs Numba."""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled once per machine where a cache directory can be written, else once per process."""
    options: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)


_intrinsic: Any = intrinsic  # Any, because as declared it would take the typing context from the caller


@_intrinsic
def prefetch(typing_context: Any, array: Any, row: Any, column: Any) -> Any:
    """Ask the processor for the cache line of array[row, column] without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        structure = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, structure, arguments[1:])
        address = builder.bitcast(place, cgutils.voidptr_t)
        number = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [address.type], ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        )
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, row, column), generate
