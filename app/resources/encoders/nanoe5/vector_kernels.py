"""Products of 4-bit weights and 8-bit activations in LLVM's vector code: numba has no vectors, and does not vectorise such loops.

With AVX2, two x86 instructions do the work: products of unsigned and signed bytes summed by pairs to 16 bits, and sums of
16-bit pairs to 32 bits. Other processors compute equal sums with general instructions, so results are equal everywhere.

The cache of compiled kernels depends on `layer_kernels.py` only. After a change in this module, change that file too.
"""

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["BLOCK", "LANES", "TILE", "nearest", "power_of_two", "quantise", "tile", "unpack"]

# Weights per scale; outputs per tile; tokens per tile.
BLOCK = 32
LANES = 16
TILE = 4

_I8, _I16, _I32, _F32 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.FloatType()
_BYTES, _SHORTS, _INTS, _FLOATS = ir.VectorType(_I8, 32), ir.VectorType(_I16, 16), ir.VectorType(_I32, 8), ir.VectorType(_F32, 8)


def _has_avx2():
    return binding.get_default_triple().startswith("x86_64") and binding.get_host_cpu_features().get("avx2", False)


def _constant(vector, values):
    return ir.Constant(vector, [values] * vector.count)


def _pairs(builder, left, right, wide):
    """Sums of neighbouring products, in numbers of double width."""
    count = wide.count
    products = builder.mul(left, right)
    undefined_vector = ir.Constant(products.type, ir.Undefined)
    index = ir.VectorType(_I32, count)
    even = builder.shuffle_vector(products, undefined_vector, ir.Constant(index, list(range(0, 2 * count, 2))))
    odd = builder.shuffle_vector(products, undefined_vector, ir.Constant(index, list(range(1, 2 * count, 2))))
    return builder.add(even, odd)


def _bytes_product(builder, weights, codes):
    """16 sums of two products, unsigned weights (0 to 15) times signed codes."""
    if _has_avx2():
        kind = ir.FunctionType(_SHORTS, [_BYTES, _BYTES])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx2.pmadd.ub.sw")
        return builder.call(function, [weights, codes])
    wide = ir.VectorType(_I16, 32)
    return _pairs(builder, builder.zext(weights, wide), builder.sext(codes, wide), _SHORTS)


def _shorts_sum(builder, shorts):
    """8 sums of two neighbours."""
    if _has_avx2():
        kind = ir.FunctionType(_INTS, [_SHORTS, _SHORTS])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx2.pmadd.wd")
        return builder.call(function, [shorts, _constant(_SHORTS, 1)])
    wide = ir.VectorType(_I32, 16)
    return _pairs(builder, builder.sext(shorts, wide), _constant(wide, 1), _INTS)


def _data(context, builder, signature, arguments, place):
    """The first byte of an array among the arguments, and its shape."""
    array = cgutils.create_struct_proxy(signature.args[place])(context, builder, arguments[place])
    return builder.bitcast(array.data, _I8.as_pointer()), cgutils.unpack_tuple(builder, array.shape)


def _broadcast(builder, scalar, vector):
    undefined_vector = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined_vector, scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, undefined_vector, ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count))


def _at(builder, pointer, offset, kind):
    """Load a value of a kind from `offset` bytes after a pointer, without alignment."""
    return builder.load(builder.bitcast(builder.gep(pointer, [offset]), kind.as_pointer()), align=1)


def _put(builder, value, pointer, offset):
    """Store a value `offset` bytes after a pointer, without alignment."""
    builder.store(value, builder.bitcast(builder.gep(pointer, [offset]), value.type.as_pointer()), align=1)


def _rotated(builder, vector, step):
    """The eight numbers of a vector, rotated by `step`."""
    places = ir.Constant(ir.VectorType(_I32, 8), [(place + step) % 8 for place in range(8)])
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), places)


@intrinsic(prefer_literal=True)
def tile(typing, tokens, weights, scales, codes, begin, act_scales, out, token, columns, column):
    """Add to `out` the products of `tokens` tokens (a literal, at most `TILE`) with 16 rows of weights.

    `weights` (blocks, 8, 2, 32) hold a weight of 0 to 15 a byte, four neighbours of a row side by side, row after row; `scales`
    (blocks, 16). `codes` (n, 32 * blocks) are 8-bit activations, `act_scales` (n, blocks) their scales and `begin` (n, blocks) two
    16-bit sums that make weights signed. Products are added to `out` (n, columns) from row `token` and column `column` on.
    """
    count = tokens.literal_value

    def codegen(context, builder, signature, arguments):
        arrays = [_data(context, builder, signature, arguments, place) for place in range(1, 7)]
        weight_data, scale_data, code_data, begin_data, act_data, out_data = (pointer for pointer, _ in arrays)
        weight_shape, code_shape = arrays[0][1], arrays[2][1]
        token_at, column_count, column_at = arguments[7:10]
        word = token_at.type
        blocks, quads, width = weight_shape[0], weight_shape[1], code_shape[1]

        def number(value):
            return ir.Constant(word, value)

        rows = [builder.add(token_at, number(row)) for row in range(count)]
        out_at = [
            [
                builder.mul(builder.add(builder.mul(row, column_count), builder.add(column_at, number(8 * half))), number(4))
                for half in range(2)
            ]
            for row in rows
        ]
        products = [[cgutils.alloca_once(builder, _SHORTS) for _ in range(2)] for _ in rows]
        sums = [[cgutils.alloca_once(builder, _FLOATS) for _ in range(2)] for _ in rows]
        for row in range(count):
            for half in range(2):
                builder.store(_at(builder, out_data, out_at[row][half], _FLOATS), sums[row][half])
        kind = ir.FunctionType(_FLOATS, [_FLOATS] * 3)
        add = cgutils.get_or_insert_function(builder.module, kind, "llvm.fmuladd.v8f32")
        with cgutils.for_range(builder, blocks, intp=word) as loop:
            block = loop.index
            block_at = [builder.mul(builder.add(builder.mul(row, blocks), block), number(4)) for row in rows]
            for row in range(count):
                start = builder.bitcast(_broadcast(builder, _at(builder, begin_data, block_at[row], _I32), _INTS), _SHORTS)
                for half in range(2):
                    builder.store(start, products[row][half])
            code_at = [builder.add(builder.mul(row, width), builder.mul(block, number(BLOCK))) for row in rows]
            weight_at = builder.mul(block, number(BLOCK * LANES))
            # The loop hides the constant 8 from LLVM, which would unroll it and run out of registers.
            with cgutils.for_range(builder, quads, intp=word) as inner:
                quad = inner.index
                at = builder.add(weight_at, builder.mul(quad, number(64)))
                halves = [_at(builder, weight_data, builder.add(at, number(32 * half)), _BYTES) for half in range(2)]
                for row in range(count):
                    code_bytes = _at(builder, code_data, builder.add(code_at[row], builder.mul(quad, number(4))), _I32)
                    acts = builder.bitcast(_broadcast(builder, code_bytes, _INTS), _BYTES)
                    for half in range(2):
                        total = builder.add(builder.load(products[row][half]), _bytes_product(builder, halves[half], acts))
                        builder.store(total, products[row][half])
            scale_at = builder.mul(block, number(4 * LANES))
            halves = [_at(builder, scale_data, builder.add(scale_at, number(32 * half)), _FLOATS) for half in range(2)]
            for row in range(count):
                token_scale = _broadcast(builder, _at(builder, act_data, block_at[row], _F32), _FLOATS)
                for half in range(2):
                    total = builder.sitofp(_shorts_sum(builder, builder.load(products[row][half])), _FLOATS)
                    scale = builder.fmul(halves[half], token_scale)
                    builder.store(builder.call(add, [total, scale, builder.load(sums[row][half])]), sums[row][half])
        for row in range(count):
            for half in range(2):
                _put(builder, builder.load(sums[row][half]), out_data, out_at[row][half])
        return context.get_dummy_value()

    return types.void(tokens, weights, scales, codes, begin, act_scales, out, types.intp, types.intp, types.intp), codegen


@intrinsic
def unpack(typing, halves, weights):
    """Unpack 4-bit weights.

    Input (blocks, 8, 32) holds two per byte, the first in the low half; output (blocks, 8, 2, 32) holds one per byte.
    """

    def codegen(context, builder, signature, arguments):
        source, shape = _data(context, builder, signature, arguments, 0)
        into, _ = _data(context, builder, signature, arguments, 1)
        word = shape[0].type
        with cgutils.for_range(builder, builder.mul(shape[0], shape[1]), intp=word) as loop:
            packed_bytes = _at(builder, source, builder.mul(loop.index, ir.Constant(word, 32)), _BYTES)
            low = builder.and_(packed_bytes, _constant(_BYTES, 15))
            high = builder.lshr(packed_bytes, _constant(_BYTES, 4))
            at = builder.mul(loop.index, ir.Constant(word, 64))
            _put(builder, low, into, at)
            _put(builder, high, into, builder.add(at, ir.Constant(word, 32)))
        return context.get_dummy_value()

    return types.void(halves, weights), codegen


@intrinsic
def quantise(typing, values, codes, scales, begin):
    """Quantise values (n, 32 * blocks) to 8-bit codes with a scale (n, blocks) per 32 values.

    `begin` receives two 16-bit numbers that make weights of 0 to 15 signed: minus eight times the sum of codes 0, 1, 4, 5 ..., and
    of codes 2, 3, 6, 7 ...
    """

    def codegen(context, builder, signature, arguments):
        arrays = [_data(context, builder, signature, arguments, place) for place in range(4)]
        source, into, scale_data, begin_data = (pointer for pointer, _ in arrays)
        shape = arrays[2][1]
        word = shape[0].type
        absolute_function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_FLOATS, [_FLOATS]), "llvm.fabs.v8f32")
        round_function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_FLOATS, [_FLOATS]), "llvm.rint.v8f32")
        with cgutils.for_range(builder, builder.mul(shape[0], shape[1]), intp=word) as loop:
            first = builder.mul(loop.index, ir.Constant(word, 4 * BLOCK))
            parts = [_at(builder, source, builder.add(first, ir.Constant(word, 32 * part)), _FLOATS) for part in range(4)]
            largest = builder.call(absolute_function, [parts[0]])
            for part in parts[1:]:
                candidate = builder.call(absolute_function, [part])
                largest = builder.select(builder.fcmp_ordered(">", candidate, largest), candidate, largest)
            for step in (4, 2, 1):
                candidate = _rotated(builder, largest, step)
                largest = builder.select(builder.fcmp_ordered(">", candidate, largest), candidate, largest)
            maximum = builder.extract_element(largest, ir.Constant(_I32, 0))
            scale = builder.fdiv(maximum, ir.Constant(_F32, 127.0))
            is_zero = builder.fcmp_ordered("==", scale, ir.Constant(_F32, 0.0))
            inverse = builder.select(is_zero, ir.Constant(_F32, 0.0), builder.fdiv(ir.Constant(_F32, 1.0), scale))
            times = _broadcast(builder, inverse, _FLOATS)
            total = _constant(_INTS, 0)
            code_at = builder.mul(loop.index, ir.Constant(word, BLOCK))
            for place, part in enumerate(parts):
                numbers = builder.fptosi(builder.call(round_function, [builder.fmul(part, times)]), _INTS)
                total = builder.add(total, numbers)
                bytes_ = builder.trunc(numbers, ir.VectorType(_I8, 8))
                _put(builder, bytes_, into, builder.add(code_at, ir.Constant(word, 8 * place)))
            total = builder.add(total, _rotated(builder, total, 4))
            total = builder.mul(builder.add(total, _rotated(builder, total, 1)), _constant(_INTS, -8))
            low = builder.and_(builder.extract_element(total, ir.Constant(_I32, 0)), ir.Constant(_I32, 0xFFFF))
            high = builder.shl(builder.extract_element(total, ir.Constant(_I32, 2)), ir.Constant(_I32, 16))
            at = builder.mul(loop.index, ir.Constant(word, 4))
            _put(builder, scale, scale_data, at)
            _put(builder, builder.or_(low, high), begin_data, at)
        return context.get_dummy_value()

    return types.void(values, codes, scales, begin), codegen


def _float_function(name):
    """An LLVM function of a float, which LLVM can vectorise."""

    def codegen(context, builder, signature, arguments):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_F32, [_F32]), name)
        return builder.call(function, arguments)

    return types.float32(types.float32), codegen


@intrinsic
def nearest(typing, value):
    """Nearest whole number; of two, the even one."""
    return _float_function("llvm.rint.f32")


@intrinsic
def power_of_two(typing, exponent):
    """Power of two with a whole exponent from -126 to 127."""

    def codegen(context, builder, signature, arguments):
        exponent_bits = builder.add(builder.fptosi(arguments[0], _I32), ir.Constant(_I32, 127))
        return builder.bitcast(builder.shl(exponent_bits, ir.Constant(_I32, 23)), _F32)

    return types.float32(types.float32), codegen
