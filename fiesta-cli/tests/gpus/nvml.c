/* A stand-in for libnvidia-ml.so.1, for machines without a GPU: the few entry points that are asked here, answered from a
   directory. NVML_STAND_IN names it; in it, `gpus` has a line "UUID|NAME|MIB" for each GPU, and the directory of a GPU's UUID has
   a file for each process on it, named by its pid, with the MiB that it holds ("?" if that is not known) and, behind a space, G if
   it only draws. The file `unclaimed` has memory of no process. Instances of a GPU are in `instances`, a UUID a line. The files
   `lost` and `slow` make it fall off the bus and answer late; `init` in the directory holds the number that initialising fails
   with. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT = 7, LOST = 15, UNKNOWN = 999 };
enum { MOST = 64 };

typedef struct { char uuid[96]; char name[96]; unsigned long long total; } Gpu;
typedef struct { unsigned int version; unsigned long long total, reserved, free, used; } Memory;
typedef struct { unsigned int pid; unsigned long long used; unsigned int gpu_instance, compute_instance; } Process;

static Gpu gpus[MOST];

static void path(char *to, const char *uuid, const char *file) {
    const char *root = getenv("NVML_STAND_IN");
    snprintf(to, 4096, "%s/%s%s%s", root ? root : "/nonexistent", uuid, *uuid ? "/" : "", file);
}

static FILE *open_file(const char *uuid, const char *file) {
    char name[4096];
    path(name, uuid, file);
    return fopen(name, "r");
}

static int has(const char *uuid, const char *file) {
    char name[4096];
    path(name, uuid, file);
    return access(name, F_OK) == 0;
}

/* Read anew with every question; an instance is found like a GPU, behind them. */
static unsigned int read_gpus(void) {
    unsigned int count = 0;
    char line[512];
    FILE *file = open_file("", "gpus");
    if (!file) return 0;
    while (count < MOST / 2 && fgets(line, sizeof line, file))
        if (sscanf(line, "%95[^|]|%95[^|]|%llu", gpus[count].uuid, gpus[count].name, &gpus[count].total) == 3) count++;
    fclose(file);
    return count;
}

static Gpu *instance(Gpu *gpu, unsigned int index) {
    char line[96];
    FILE *file = open_file(gpu->uuid, "instances");
    Gpu *found = NULL;
    if (!file) return NULL;
    for (unsigned int i = 0; fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\n")] = 0;
        if (i == index) {
            found = &gpus[MOST / 2 + (gpu - gpus) * 4 + index % 4];
            snprintf(found->uuid, sizeof found->uuid, "%s", line);
            snprintf(found->name, sizeof found->name, "%.80s MIG", gpu->name);
            found->total = gpu->total / 4;
        }
    }
    fclose(file);
    return found;
}

int nvmlInit_v2(void) {
    int code = SUCCESS;
    if (has("", "hangs")) sleep(600);
    FILE *file = open_file("", "init");
    if (file) {
        if (fscanf(file, "%d", &code) != 1) code = UNKNOWN;
        fclose(file);
    }
    return code;
}

int nvmlShutdown(void) { return SUCCESS; }

int nvmlSystemGetDriverVersion(char *version, unsigned int length) {
    snprintf(version, length, "570.0");
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned int *count) {
    *count = read_gpus();
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **device) {
    if (index >= read_gpus()) return INVALID;
    *device = &gpus[index];
    return has(gpus[index].uuid, "lost") ? LOST : SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Gpu **device) {
    unsigned int count = read_gpus();
    for (unsigned int i = 0; i < count; i++) {
        Gpu *own = NULL;
        if (strcmp(gpus[i].uuid, uuid) == 0) own = &gpus[i];
        for (unsigned int j = 0; !own && j < 4; j++) {
            Gpu *part = instance(&gpus[i], j);
            if (part && strcmp(part->uuid, uuid) == 0) own = part;
        }
        if (own) {
            if (has(own->uuid, "slow")) sleep(600);
            *device = own;
            return has(own->uuid, "lost") ? LOST : SUCCESS;
        }
    }
    return NOT_FOUND;
}

int nvmlDeviceGetUUID(Gpu *gpu, char *uuid, unsigned int length) {
    snprintf(uuid, length, "%s", gpu->uuid);
    return SUCCESS;
}

int nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length) {
    snprintf(name, length, "%s", gpu->name);
    return SUCCESS;
}

int nvmlDeviceGetMaxMigDeviceCount(Gpu *gpu, unsigned int *count) {
    *count = has(gpu->uuid, "instances") ? 4 : 0;
    return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(Gpu *gpu, unsigned int index, Gpu **device) {
    *device = instance(gpu, index);
    return *device ? SUCCESS : NOT_FOUND;
}

/* All that compute, or all that draw; the number of processes, and their memory and whatever is unclaimed in `used`. */
static unsigned int read_processes(Gpu *gpu, int draw, Process *to, unsigned int most, unsigned long long *used) {
    char name[4096], text[64];
    unsigned int count = 0;
    struct dirent *entry;
    path(name, gpu->uuid, ".");
    DIR *directory = opendir(name);
    *used = 0;
    while (directory && (entry = readdir(directory))) {
        int is_process = isdigit((unsigned char)entry->d_name[0]);
        if (!is_process && strcmp(entry->d_name, "unclaimed") != 0) continue;
        FILE *file = open_file(gpu->uuid, entry->d_name);
        if (!file) continue;
        if (!fgets(text, sizeof text, file)) text[0] = 0;
        fclose(file);
        unsigned long long bytes = text[0] == '?' ? ~0ull : strtoull(text, NULL, 10) << 20;
        if (text[0] != '?') *used += bytes;
        if (is_process && (strchr(text, 'G') != NULL) == draw) {
            if (to && count < most) to[count] = (Process){ (unsigned int)atol(entry->d_name), bytes, ~0u, ~0u };
            count++;
        }
    }
    if (directory) closedir(directory);
    return count;
}

int nvmlDeviceGetMemoryInfo_v2(Gpu *gpu, Memory *memory) {
    unsigned long long used;
    read_processes(gpu, 0, NULL, 0, &used);
    memory->total = gpu->total << 20;
    memory->reserved = 0;
    memory->used = used;
    memory->free = memory->total - used;
    return SUCCESS;
}

static int processes(Gpu *gpu, int draw, unsigned int *count, Process *to) {
    unsigned long long used;
    unsigned int room = to ? *count : 0;
    *count = read_processes(gpu, draw, to, room, &used);
    return *count > room ? INSUFFICIENT : SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Gpu *gpu, unsigned int *count, Process *to) { return processes(gpu, 0, count, to); }

int nvmlDeviceGetGraphicsRunningProcesses_v3(Gpu *gpu, unsigned int *count, Process *to) { return processes(gpu, 1, count, to); }
