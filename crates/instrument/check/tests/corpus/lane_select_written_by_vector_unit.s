# A lane number that the vector unit writes is there after 4 wait states.
# targets: gfx900 gfx90a
# finding: certain wait-states
    v_readfirstlane_b32 s2, v1
-   s_nop 2
+   s_nop 3
>   v_readlane_b32 s3, v4, s2
    s_endpgm
