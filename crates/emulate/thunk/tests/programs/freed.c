// Frees memory of an exact device twice. Exit status 0: all well.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t pool;

static hsa_status_t on_agent(hsa_agent_t agent, void *data) {
    hsa_device_type_t type;
    (void)data;
    REQUIRE(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS);
    if (type == HSA_DEVICE_TYPE_GPU)
        gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_pool(hsa_amd_memory_pool_t found, void *data) {
    hsa_amd_segment_t segment;
    (void)data;
    REQUIRE(hsa_amd_memory_pool_get_info(found, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) == HSA_STATUS_SUCCESS);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && !pool.handle)
        pool = found;
    return HSA_STATUS_SUCCESS;
}

static hsa_amd_pointer_type_t kind(void *address) {
    hsa_amd_pointer_info_t info;
    uint32_t count = 99;
    hsa_agent_t *agents = NULL;
    memset(&info, 0xff, sizeof info);
    info.size = sizeof info;
    REQUIRE(hsa_amd_pointer_info(address, &info, malloc, &count, &agents) == HSA_STATUS_SUCCESS && info.size <= sizeof info);
    free(agents);
    return info.type;
}

int main(void) {
    REQUIRE(hsa_init() == HSA_STATUS_SUCCESS && hsa_iterate_agents(on_agent, NULL) == HSA_STATUS_SUCCESS);
    REQUIRE(hsa_amd_agent_iterate_memory_pools(gpu, on_pool, NULL) == HSA_STATUS_SUCCESS);
    // The runtime gives this answer for an address that it has never given out.
    hsa_status_t unknown = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    void *first = NULL, *others[8];
    REQUIRE(hsa_amd_memory_pool_allocate(pool, 5000, 0, &first) == HSA_STATUS_SUCCESS && kind(first) == HSA_EXT_POINTER_TYPE_HSA);
    REQUIRE(hsa_amd_memory_pool_free(first) == HSA_STATUS_SUCCESS);
    REQUIRE(kind(first) == HSA_EXT_POINTER_TYPE_UNKNOWN && kind((char *)first + 4999) == HSA_EXT_POINTER_TYPE_UNKNOWN);
    for (int i = 0; i < 3; i++) {
        REQUIRE(hsa_amd_memory_pool_free(first) == unknown && hsa_memory_free(first) == unknown);
        // No other allocation gets the addresses meanwhile, so no allocation can be freed through them.
        REQUIRE(hsa_amd_memory_pool_allocate(pool, 5000, 0, &others[i]) == HSA_STATUS_SUCCESS && others[i] != first);
    }
    for (int i = 0; i < 3; i++)
        REQUIRE(kind(others[i]) == HSA_EXT_POINTER_TYPE_HSA && hsa_amd_memory_pool_free(others[i]) == HSA_STATUS_SUCCESS);
    REQUIRE(hsa_shut_down() == HSA_STATUS_SUCCESS);
    puts("all well");
    return 0;
}
