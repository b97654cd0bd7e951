//! Composes the numpydoc text of a Python function at compile time.
//!
//! The caller gives the summary, the parameters, the result, the errors and example lines. The descriptions of
//! parameters that mean the same everywhere (`axis`, `dtype`, `device`, ..) are stored here; any other parameter is
//! written `name: "type" "text"`. Errors work the same way.

/// Returns a docstring:
/// `pydoc!("Summary."; (x FLOAT, axis, size: "int" "Text.") -> "Tensor" "Text."; (axis, ValueError: "If .."); [">>> ..", ".."])`.
#[doc(hidden)]
#[macro_export]
macro_rules! pydoc {
    (
        $summary:expr;
        ($($name:ident $($set:ident)? $(: $type:literal $text:literal)?),* $(,)?) $(-> $result:literal $means:literal)?;
        ($($error:ident $(: $why:literal)?),* $(,)?);
        [$($line:expr),* $(,)?]
    ) => {
        concat!(
            $summary,
            $crate::pydoc!(@heading Parameters $($name)*),
            $($crate::pydoc!(@parameter $name $($set)? $(: $type $text)?),)*
            $("\n\nReturns\n-------\n", $result, "\n    ", $means,)?
            $crate::pydoc!(@heading Raises $($error)*),
            $($crate::pydoc!(@error $error $(: $why)?),)*
            $crate::pydoc!(@heading Examples $($line)*),
            $("\n", $line),*
        )
    };
    (@heading $section:ident) => { "" };
    (@heading Parameters $($any:tt)+) => { "\n\nParameters\n----------" };
    (@heading Raises $($any:tt)+) => { "\n\nRaises\n------" };
    (@heading Examples $($any:tt)+) => { "\n\nExamples\n--------" };

    (@parameter $name:ident : $type:literal $text:literal) => {
        concat!("\n", stringify!($name), " : ", $type, "\n    ", $text)
    };
    (@parameter x1_x2 $($set:ident)?) => {
        concat!(
            "\nx1, x2 : Tensor or number\n    Operands", $crate::pydoc!(@operands $($set)?),
            ". At least one is a tensor. They are promoted to one dtype and broadcast to one shape.",
        )
    };
    (@parameter other $($set:ident)?) => {
        concat!(
            "\nother : Tensor or number\n    Right operand", $crate::pydoc!(@operands $($set)?),
            ". Both sides are promoted to one dtype and broadcast to one shape.",
        )
    };
    (@parameter $name:ident INEXACT) => {
        concat!("\n", stringify!($name), " : Tensor\n    Input, of a floating-point or complex dtype. Integers and bools are computed in float32.")
    };
    (@parameter $name:ident FLOAT) => {
        concat!("\n", stringify!($name), " : Tensor\n    Input, of a floating-point dtype. Integers and bools are computed in float32.")
    };
    (@parameter $name:ident NUMERIC) => {
        concat!("\n", stringify!($name), " : Tensor\n    Input, of an integer or floating-point dtype.")
    };
    (@parameter $name:ident ORDERED) => {
        concat!("\n", stringify!($name), " : Tensor\n    Input, of any dtype but a complex one.")
    };
    (@parameter $name:ident BITS) => {
        concat!("\n", stringify!($name), " : Tensor\n    Input, of an integer dtype or bool.")
    };
    (@parameter x) => { "\nx : Tensor\n    Input, of any dtype." };
    (@parameter axes) => {
        "\naxis, dim : int or tuple of int, optional\n    Axes to reduce; negative ones count from the end. All axes by \
         default. ``dim`` is PyTorch's name of the parameter."
    };
    (@parameter axis) => {
        "\naxis, dim : int\n    Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the \
         parameter."
    };
    (@parameter axis_first) => {
        "\naxis, dim : int, default 0\n    Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name \
         of the parameter."
    };
    (@parameter axis_last) => {
        "\naxis, dim : int, default -1\n    Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name \
         of the parameter."
    };
    (@parameter axis_or_none) => {
        "\naxis, dim : int or None, default -1\n    Axis to work along; a negative one counts from the end. ``axis=None`` takes \
         all elements as a vector. ``dim`` is PyTorch's name of the parameter."
    };
    (@parameter axis_of_vector) => {
        "\naxis, dim : int, optional\n    Axis to work along; a negative one counts from the end. It may be left out for a \
         tensor of rank 1."
    };
    (@parameter keepdims) => {
        "\nkeepdims, keepdim : bool, default False\n    Whether the reduced axes stay, with size 1."
    };
    (@parameter out) => { "\nout : None\n    Only None; NumPy's functions pass it." };
    (@parameter dim) => { "\ndim : int\n    Dimension to index; a negative one counts from the end." };
    (@parameter index) => {
        "\nindex : Tensor\n    Indices, of an integer dtype. Negative ones of a signed dtype count from the end."
    };
    (@parameter indices) => {
        "\nindices : Tensor\n    Indices, of an integer dtype. Negative ones of a signed dtype count from the end."
    };
    (@parameter shape) => { "\nshape : int or sequence of int\n    Shape of the result, as one sequence or as separate integers." };
    (@parameter new_shape) => {
        "\nshape : int or sequence of int\n    New shape. One size may be -1: it follows from the number of elements."
    };
    (@parameter dtype) => { "\ndtype : DType or str, optional\n    Dtype of the result." };
    (@parameter dtype_float32) => { "\ndtype : DType or str, default float32\n    Dtype of the result." };
    (@parameter dtype_as_x) => { "\ndtype : DType or str, optional\n    Dtype of the result; that of ``x`` by default." };
    (@parameter device) => { "\ndevice : Device or str, optional\n    Device of the result; the default device (``get_default_device``) if it is not given." };
    (@parameter device_as_x) => { "\ndevice : Device or str, optional\n    Device of the result; that of ``x`` by default." };
    (@parameter generator) => {
        "\ngenerator : Generator, optional\n    Source of the random numbers; that of the device by default."
    };
    (@parameter requires_grad) => {
        "\nrequires_grad : bool, default False\n    Whether gradients are recorded for the result."
    };

    (@operands) => { "" };
    (@operands FLOAT) => { " of a floating-point dtype; integers and bools are computed in float32" };
    (@operands NUMERIC) => { " of an integer or floating-point dtype" };
    (@operands BITS) => { " of an integer dtype or bool" };
    (@operands INT) => { " of an integer dtype" };

    (@error axis) => { "\nIndexError\n    If an axis is out of range." };
    (@error axes) => { "\nIndexError\n    If an axis is out of range.\nValueError\n    If an axis is given twice." };
    (@error index) => {
        "\nIndexError\n    If an index or the dimension is out of range.\nTypeError\n    If the indices are not integers."
    };
    (@error broadcast) => { "\nValueError\n    If the shapes cannot be broadcast to one shape." };
    (@error dtype) => { "\nTypeError\n    If ``x`` is not a tensor, or its dtype is not supported." };
    (@error own_dtype) => { "\nTypeError\n    If the dtype is not supported." };
    (@error operands) => {
        "\nTypeError\n    If no operand is a tensor, or the common dtype is not supported.\nValueError\n    If the shapes \
         cannot be broadcast to one shape."
    };
    (@error shape) => { "\nValueError\n    If a size is negative." };
    (@error device) => { "\nDeviceError\n    If the device is missing or fails." };
    (@error $error:ident : $why:literal) => { concat!("\n", stringify!($error), "\n    ", $why) };
}
