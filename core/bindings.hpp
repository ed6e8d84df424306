// The parts of the module dotzero._core, one function a file.
#pragma once

#include <pybind11/pybind11.h>

namespace dotzero {

void bind_boxes(pybind11::module_& module);
void bind_kropki(pybind11::module_& module);
void bind_solver(pybind11::module_& module);
void bind_table_game(pybind11::module_& module);

}  // namespace dotzero
