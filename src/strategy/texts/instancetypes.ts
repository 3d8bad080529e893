/** What the console says about each series of instance types. */
export const SERIES_TEXTS = {
  cx1: 'For compute-bound work. Processors belong to one machine alone, emulator threads run apart from them, memory comes in huge pages and the guest sees the NUMA layout of the node. 2 GiB for each vCPU.',
  d1: 'For steady general work. Each vCPU has a physical one to itself and emulator threads run apart from them. 4 GiB for each vCPU from medium on.',
  m1: 'For databases and caches that live in memory. Huge pages, processors in time slices, 8 GiB for each vCPU.',
  n1: 'For network functions such as DPDK. Own processors that the node disturbs as little as possible, 1 GiB huge pages. Nodes need the CPU manager and huge pages.',
  o1: 'For many machines that rarely use all of their memory. As the general purpose series, but a node promises more memory than it holds.',
  rt1: 'For work with hard deadlines. Real-time scheduling on own processors, NUMA layout of the node, 1 GiB huge pages. Nodes need a real-time kernel.',
  u1: 'For anything without special needs. Processors in time slices, 4 GiB for each vCPU from medium on.',
} as const;
