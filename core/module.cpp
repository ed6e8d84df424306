// The extension module dotzero._core. Arrays cross this border, never objects; calls on batches release the GIL.
#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
    module.doc() = "dotzero's compiled core: rules, batched tree search, exact play.";
    dotzero::bind_boxes(module);
    dotzero::bind_kropki(module);
    dotzero::bind_kropki_levels(module);
    dotzero::bind_masks(module);
    dotzero::bind_solver(module);
    dotzero::bind_table_game(module);
}
