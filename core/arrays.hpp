// Checked access to NumPy arrays at the border between Python and the core.
//
// Every array that comes in has its exact type, shape and C order verified; nothing is converted or copied
// behind the caller's back.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace dotzero {

namespace py = pybind11;

template <typename T>
using Array = py::array_t<T, py::array::c_style>;

// -1 in `shape` stands for "any length".
template <typename T>
void require_shape(const Array<T>& array, std::initializer_list<py::ssize_t> shape, const char* name) {
    bool fits = array.ndim() == static_cast<py::ssize_t>(shape.size());
    py::ssize_t axis = 0;
    for (const py::ssize_t length : shape) {
        if (!fits) break;
        fits = length < 0 || array.shape(axis) == length;
        ++axis;
    }
    if (fits) return;
    std::string wanted, given;
    for (const py::ssize_t length : shape) wanted += (length < 0 ? "any" : std::to_string(length)) + ",";
    for (py::ssize_t i = 0; i < array.ndim(); ++i) given += std::to_string(array.shape(i)) + ",";
    throw std::invalid_argument(std::string(name) + " must have shape (" + wanted + "), got (" + given + ")");
}

}  // namespace dotzero
