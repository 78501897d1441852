# The result of a matrix instruction of 2 passes is there after 5 wait states.
# targets: gfx90a
# finding: certain wait-states
    v_mfma_f32_4x4x1f32 v[0:3], v8, v9, v[0:3]
-   s_nop 3
+   s_nop 4
>   v_add_f32 v10, v1, v1
    s_endpgm
