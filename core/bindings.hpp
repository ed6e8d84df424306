// The parts of the module dotzero._core, one function a file.
#pragma once

#include <pybind11/pybind11.h>

namespace dotzero {

// Whether Python has a signal to handle, as after Ctrl-C; its exception is then set. For long work without the GIL.
inline bool signal_waits() {
    const pybind11::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

void bind_boxes(pybind11::module_& module);
void bind_kropki(pybind11::module_& module);
void bind_kropki_levels(pybind11::module_& module);
void bind_masks(pybind11::module_& module);
void bind_solver(pybind11::module_& module);
void bind_table_game(pybind11::module_& module);

}  // namespace dotzero
