//! Tools in kernels without ROCm.
