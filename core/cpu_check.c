/* Says which instruction sets of x86-64-v3 this processor lacks, before the core that needs them is loaded.
 *
 * The core is built for x86-64-v3 (2013 and later); on an older processor it would die with "illegal
 * instruction" and no word of why. This file is plain C for the baseline processor. On other architectures
 * nothing is required and nothing is missing.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__x86_64__)
#define CHECK(list, name)                                            \
    if (!__builtin_cpu_supports(name)) {                             \
        PyObject *text = PyUnicode_FromString(name);                 \
        if (text == NULL || PyList_Append(list, text) < 0) {         \
            Py_XDECREF(text);                                        \
            Py_DECREF(list);                                         \
            return NULL;                                             \
        }                                                            \
        Py_DECREF(text);                                             \
    }
#endif

static PyObject *missing_features(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *missing = PyList_New(0);
    if (missing == NULL) return NULL;
#if defined(__x86_64__)
    __builtin_cpu_init();
    CHECK(missing, "avx2")
    CHECK(missing, "bmi")
    CHECK(missing, "bmi2")
    CHECK(missing, "fma")
/* Older compilers do not know these names and would refuse the file. */
#if (defined(__clang__) && __clang_major__ >= 19) || (!defined(__clang__) && __GNUC__ >= 11)
    CHECK(missing, "f16c")
    CHECK(missing, "lzcnt")
    CHECK(missing, "movbe")
#endif
#endif
    return missing;
}

static PyMethodDef methods[] = {
    {"missing_features", missing_features, METH_NOARGS, "Names of the required instruction sets that this processor lacks."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_cpu", "What the processor lacks for dotzero._core.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__cpu(void) { return PyModule_Create(&module); }
