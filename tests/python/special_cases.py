"""The special cases of the array API standard 2025.12 as tables.

They are the results of elementwise functions for NaN, infinities, zeros and a few other numbers. A row has
names of functions, a condition for each argument, and the result. `POINTS` has the numbers of a condition;
one that ends with = is equal to the first argument. A result is a number with its sign (`+0` and `-0`
differ), `0` and `inf` of any sign, `pi` and parts of it, `x1` or `x2` (the argument), `+` or `-` (any
number of this sign), `true` or `false`. A complex argument is two conditions and a complex result two
results, for the real and the imaginary part; `cos` and `sin` are of the imaginary part.
"""

from __future__ import annotations

REAL = """
abs acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 : nan : nan
sign sin sinh sqrt tan tanh : nan : nan
ceil floor round trunc negative : nan : nan
ceil floor round trunc : +inf : +inf
ceil floor round trunc : -inf : -inf
ceil floor round trunc : whole : x1
abs : 0 : +0
abs : inf : +inf
acos asin atanh : >1 : nan
acos asin atanh : <-1 : nan
acos acosh log log2 log10 : 1 : +0
acosh : <1 : nan
acosh asinh exp expm1 log log1p log2 log10 sinh sqrt : +inf : +inf
asin asinh atan atanh ceil expm1 floor log1p round sin sinh sqrt tan tanh trunc : +0 : +0
asin asinh atan atanh ceil expm1 floor log1p round sin sinh sqrt tan tanh trunc : -0 : -0
asinh sinh : -inf : -inf
atan : +inf : pi/2
atan : -inf : -pi/2
atanh : -1 : -inf
atanh : 1 : +inf
cos sin tan : inf : nan
cos cosh exp : 0 : 1
cosh : inf : +inf
exp : -inf : +0
expm1 tanh : -inf : -1
tanh : +inf : 1
log log2 log10 sqrt : <0 : nan
log log2 log10 : 0 : -inf
log1p : <-1 : nan
log1p : -1 : -inf
sign : <0 : -1
sign : 0 : 0
sign : >0 : 1
negative : +0 : -0
negative : -0 : +0
negative : +inf : -inf
negative : -inf : +inf
signbit : +0 : false
signbit : -0 : true
signbit : >0 : false
signbit : <0 : true
isfinite : inf : false
isfinite : nan : false
isfinite : fin : true
isinf : inf : true
isinf : nan : false
isinf : fin : false
isnan : nan : true
isnan : num : false
add subtract multiply divide floor_divide remainder atan2 logaddexp maximum minimum : nan any : nan
add subtract multiply divide floor_divide remainder atan2 logaddexp maximum minimum nextafter : any nan : nan
add : +inf -inf : nan
add : -inf +inf : nan
add : +inf +inf : +inf
add : -inf -inf : -inf
add : +inf fin : +inf
add : -inf fin : -inf
add : fin +inf : +inf
add : fin -inf : -inf
add : -0 -0 : -0
add : -0 +0 : +0
add : +0 0 : +0
add : 0 nonzero : x2
add : nonzero 0 : x1
subtract : inf inf= : nan
subtract : +inf -inf : +inf
subtract : -inf +inf : -inf
subtract : +0 -0 : +0
subtract : -0 +0 : -0
subtract : +0 +0 : +0
subtract : -0 -0 : +0
subtract : nonzero 0 : x1
multiply : inf 0 : nan
multiply : 0 inf : nan
multiply : +inf >0 : +inf
multiply : +inf <0 : -inf
multiply : -inf >0 : -inf
multiply : -inf <0 : +inf
multiply : pos +inf : +inf
multiply : neg +inf : -inf
multiply : pos -inf : -inf
multiply : neg -inf : +inf
multiply : +0 pos : +0
multiply : +0 neg : -0
multiply : -0 pos : -0
multiply : -0 neg : +0
divide floor_divide remainder : inf inf : nan
divide floor_divide remainder : 0 0 : nan
divide floor_divide : +0 >0 : +0
divide floor_divide : -0 >0 : -0
divide floor_divide : +0 <0 : -0
divide floor_divide : -0 <0 : +0
divide floor_divide : >0 +0 : +inf
divide floor_divide : >0 -0 : -inf
divide floor_divide : <0 +0 : -inf
divide floor_divide : <0 -0 : +inf
divide floor_divide : +inf pos : +inf
divide floor_divide : +inf neg : -inf
divide floor_divide : -inf pos : -inf
divide floor_divide : -inf neg : +inf
divide floor_divide : pos +inf : +0
divide floor_divide : pos -inf : -0
divide floor_divide : neg +inf : -0
divide floor_divide : neg -inf : +0
divide : pos neg : -
divide : neg pos : -
divide : pos pos : +
divide : neg neg : +
remainder : 0 >0 : +0
remainder : 0 <0 : -0
remainder : nonzero 0 : nan
remainder : inf nonzero : nan
remainder : pos +inf : x1
remainder : neg -inf : x1
remainder : pos -inf : -inf
remainder : neg +inf : +inf
atan2 : >0 0 : pi/2
atan2 : <0 0 : -pi/2
atan2 : +0 >0 : +0
atan2 : +0 +0 : +0
atan2 : -0 >0 : -0
atan2 : -0 +0 : -0
atan2 : +0 -0 : pi
atan2 : +0 <0 : pi
atan2 : -0 -0 : -pi
atan2 : -0 <0 : -pi
atan2 : pos +inf : +0
atan2 : pos -inf : pi
atan2 : neg +inf : -0
atan2 : neg -inf : -pi
atan2 : +inf fin : pi/2
atan2 : -inf fin : -pi/2
atan2 : +inf +inf : pi/4
atan2 : +inf -inf : 3pi/4
atan2 : -inf +inf : -pi/4
atan2 : -inf -inf : -3pi/4
copysign : 2 >0 : 2
copysign : -2 >0 : 2
copysign : 2 <0 : -2
copysign : -2 <0 : -2
copysign : inf +0 : +inf
copysign : inf -0 : -inf
copysign : 0 >0 : +0
copysign : 0 <0 : -0
copysign : nan any : nan
hypot : inf any : +inf
hypot : any inf : +inf
hypot : fin nan : nan
hypot : nan fin : nan
hypot : nan nan : nan
hypot : 0 -2 : 2
hypot : -2 0 : 2
logaddexp : +inf num : +inf
logaddexp : num +inf : +inf
logaddexp : -inf -inf : -inf
nextafter : nan any : nan
nextafter : -0 +0 : +0
nextafter : +0 -0 : -0
pow : any +0 : 1
pow : any -0 : 1
pow : nan >0 : nan
pow : nan <0 : nan
pow : 1 num : 1
pow : nan nan : nan
pow : 2 nan : nan
pow : 0 nan : nan
pow : >1 +inf : +inf
pow : <-1 +inf : +inf
pow : >1 -inf : +0
pow : <-1 -inf : +0
pow : 1 inf : 1
pow : -1 inf : 1
pow : small +inf : +0
pow : small -inf : +inf
pow : +inf >0 : +inf
pow : +inf <0 : +0
pow : -inf odd : -inf
pow : -inf -odd : -0
pow : -inf even : +inf
pow : -inf -even : +0
pow : +0 >0 : +0
pow : +0 <0 : +inf
pow : -0 odd : -0
pow : -0 even : +0
pow : -0 -odd : -inf
pow : -0 -even : +inf
pow : neg half : nan
equal : nan any : false
equal : any nan : false
equal : 0 0 : true
equal : +inf +inf : true
equal : -inf -inf : true
equal : inf fin : false
equal : +inf -inf : false
not_equal : nan any : true
not_equal : any nan : true
not_equal : 0 0 : false
not_equal : +inf -inf : true
not_equal : inf inf= : false
less less_equal greater greater_equal : nan any : false
less less_equal greater greater_equal : any nan : false
less : -inf +inf : true
less : 0 0 : false
less_equal greater_equal : 0 0 : true
greater : +inf fin : true
logical_and logical_or : nan nan : true
logical_or : 0 0 : false
logical_and : 0 any : false
logical_xor : nan 0 : true
logical_not : nan : false
logical_not : 0 : true
"""

# Functions of which the conjugate of the argument gives the conjugate result have rows for one sign only.
COMPLEX = """
acos acosh asinh atanh cosh exp expm1 log log1p sinh sqrt tanh : nan nan : nan nan
acos : 0 +0 : pi/2 -0
acos : 0 nan : pi/2 nan
acos : fin +inf : pi/2 -inf
acos acosh atanh : nonzero nan : nan nan
acos : -inf pos : pi -inf
acos : +inf pos : +0 -inf
acos : -inf +inf : 3pi/4 -inf
acos : +inf +inf : pi/4 -inf
acos : inf nan : nan inf
acos acosh atanh log log1p : nan fin : nan nan
acos : nan +inf : nan -inf
acosh : 0 +0 : +0 pi/2
acosh log log1p : fin +inf : +inf pi/2
acosh : +0 nan : nan ~pi/2
acosh log log1p : -inf pos : +inf pi
acosh asinh log log1p : +inf pos : +inf +0
acosh log log1p : -inf +inf : +inf 3pi/4
acosh asinh log log1p : +inf +inf : +inf pi/4
acosh log log1p : inf nan : +inf nan
acosh log log1p : nan +inf : +inf nan
asinh atanh sinh tanh : +0 +0 : +0 +0
asinh : pos +inf : +inf pi/2
asinh exp expm1 log log1p sqrt : fin nan : nan nan
asinh : nan +0 : nan +0
asinh cosh exp expm1 sinh tanh : nan nonzero : nan nan
asinh : nan +inf : inf nan
atanh : +0 nan : +0 nan
atanh : 1 +0 : +inf +0
atanh : pos +inf : +0 pi/2
atanh : +inf pos : +0 pi/2
atanh : +inf +inf : +0 pi/2
atanh : +inf nan : +0 nan
atanh : nan +inf : 0 pi/2
cosh : +0 +0 : 1 +0
cosh : +0 +inf : nan 0
cosh : +0 nan : nan 0
cosh sinh : nonzero +inf : nan nan
cosh sinh : nonzero nan : nan nan
cosh exp expm1 sinh : +inf +0 : +inf +0
cosh exp expm1 sinh : +inf nonzero : inf*cos inf*sin
cosh exp expm1 sinh : +inf +inf : inf nan
cosh exp expm1 sinh : +inf nan : inf nan
cosh : nan 0 : nan 0
exp : 0 +0 : 1 +0
exp expm1 : fin +inf : nan nan
exp : -inf fin : 0*cos 0*sin
expm1 : -inf fin : -1 0*sin
exp : -inf +inf : 0 0
exp : -inf nan : 0 0
expm1 : -inf +inf : -1 0
expm1 : -inf nan : -1 0
expm1 : 0 +0 : +0 +0
exp expm1 sinh tanh : nan +0 : nan +0
exp expm1 : nan inf : nan nan
log : -0 +0 : -inf pi
log : +0 +0 : -inf +0
log1p : -1 +0 : -inf +0
sinh : +0 +inf : 0 nan
sinh : +0 nan : 0 nan
sqrt : 0 +0 : +0 +0
sqrt : any +inf : +inf +inf
sqrt : -inf pos : +0 +inf
sqrt : +inf pos : +inf +0
sqrt : -inf nan : nan inf
sqrt : +inf nan : +inf nan
sqrt : nan fin : nan nan
tanh : nonzero +inf : nan nan
tanh : nonzero nan : nan nan
tanh : +0 +inf : +0 nan
tanh : +0 nan : +0 nan
tanh : +inf pos : 1 +0
tanh : +inf +inf : 1 0
tanh : +inf nan : 1 0
sign : 0 0 : 0 0
sign : nan any : nan nan
sign : any nan : nan nan
sign : 2 +0 : 1 0
sign : +0 2 : 0 1
negative : +0 -0 : -0 +0
negative : nan +inf : nan -inf
round : nan +inf : nan +inf
round : -0 whole : -0 x2
conj : any +inf : x1 -inf
conj : any -0 : x1 +0
conj : any +0 : x1 -0
isfinite : nan any : false
isfinite : any nan : false
isfinite : inf any : false
isfinite : any inf : false
isfinite : fin fin : true
isinf : inf any : true
isinf : any inf : true
isinf : fin fin : false
isinf : fin nan : false
isnan : nan any : true
isnan : any nan : true
isnan : num num : false
abs : inf any : +inf
abs : any inf : +inf
abs : fin nan : nan
abs : nan fin : nan
abs : 0 0 : +0
real : any any : x1
imag : any any : x2
"""

NAN, INF = float("nan"), float("inf")
_POSITIVE = [2.0**-100, 0.5, 1.0, 1.5, 3.0, 2.0**90]
_WHOLE = [1.0, 2.0, 3.0, 2.0**90]
_FINITE = [*_POSITIVE, *(-v for v in _POSITIVE), 0.0, -0.0]
POINTS: dict[str, list[float]] = {
    "nan": [NAN],
    "+0": [0.0],
    "-0": [-0.0],
    "0": [0.0, -0.0],
    "+inf": [INF],
    "-inf": [-INF],
    "inf": [INF, -INF],
    "pos": _POSITIVE,
    "neg": [-v for v in _POSITIVE],
    ">0": [*_POSITIVE, INF],
    "<0": [*(-v for v in _POSITIVE), -INF],
    "nonzero": [v for v in _FINITE if v],
    "fin": _FINITE,
    "num": [*_FINITE, INF, -INF],
    "any": [*_FINITE, INF, -INF, NAN],
    ">1": [1.5, 3.0, 2.0**90, INF],
    "<1": [0.5, 0.0, -3.0, -INF],
    "<-1": [-1.5, -3.0, -(2.0**90), -INF],
    "small": [0.5, -0.5, 0.0, -0.0],
    "whole": [*_WHOLE, *(-v for v in _WHOLE), 0.0, -0.0],
    "odd": [1.0, 3.0, 5.0],
    "-odd": [-1.0, -3.0, -5.0],
    "even": [2.0, 4.0, 2.5],
    "-even": [-2.0, -4.0, -2.5],
    "half": [0.5, -1.5, 2.5],
    **{str(v): [float(v)] for v in (1, -1, 2, -2)},
}
