// Kernels that ask for memory themselves. The fault's name is the argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct List {
  List* next;
  int value;
};

// Each thread makes a list, adds it up, and frees all but the last one's, which another kernel does.
__global__ void make(List** lists, int* sums, int length) {
  List* list = nullptr;
  for (int i = 1; i <= length; ++i) {
    List* one = static_cast<List*>(malloc(sizeof(List)));
    if (one == nullptr) break;
    one->next = list, one->value = i;
    list = one;
  }
  int sum = 0;
  for (const List* at = list; at != nullptr; at = at->next) sum += at->value;
  sums[threadIdx.x] = sum;
  while (list != nullptr && threadIdx.x + 1 < blockDim.x) {
    List* next = list->next;
    free(list);
    list = next;
  }
  lists[threadIdx.x] = list;
}
__global__ void drop(List** lists) {
  for (List *list = lists[threadIdx.x], *next; list != nullptr; list = next) {
    next = list->next;
    free(list);
  }
}

// More than the limit of the heap, 8 MB, allows.
__global__ void greedy(int* sums) { sums[threadIdx.x] = malloc(std::size_t{1} << 25) == nullptr; }

__global__ void unset(int* sums) {
  int* mine = static_cast<int*>(malloc(2 * sizeof(int)));
  mine[0] = 1;
  sums[threadIdx.x] = mine[0] + mine[1];  // <- unset
  free(mine);
}

__global__ void shared_by_all(int* sums) {
  __shared__ int* block;
  if (threadIdx.x == 0) block = static_cast<int*>(malloc(sizeof(int)));
  __syncthreads();
  *block = static_cast<int>(threadIdx.x);  // <- raced
  __syncthreads();
  sums[threadIdx.x] = *block;
}

int main(int count, char** arguments) {
  const char* fault = count > 1 ? arguments[1] : "";
  int *sums = static_cast<int*>(malloc(64 * sizeof(int))), *device_sums = nullptr;  // the host's malloc
  List** lists = nullptr;
  cudaMalloc(&device_sums, 64 * sizeof(int));
  cudaMalloc(&lists, 64 * sizeof(List*));
  cudaMemset(device_sums, 0, 64 * sizeof(int));
  for (int times = 0; times < 3; ++times) {
    make<<<1, 64>>>(lists, device_sums, 10);
    drop<<<1, 64>>>(lists);
  }
  if (std::strcmp(fault, "greedy") == 0) greedy<<<1, 64>>>(device_sums);
  if (std::strcmp(fault, "unset") == 0) unset<<<1, 64>>>(device_sums);
  if (std::strcmp(fault, "raced") == 0) shared_by_all<<<1, 64>>>(device_sums);
  cudaMemcpy(sums, device_sums, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("done: %s, %d %d\n", cudaGetErrorName(cudaDeviceSynchronize()), sums[0], sums[63]);
  free(sums);
}
