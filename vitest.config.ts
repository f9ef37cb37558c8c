import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    // Tells a test that hangs. One that starts processes takes two minutes where others use the machine too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // One more than the least number of cores: tests of processes wait for them.
    maxWorkers: 3,
    // The files of embedded databases lie outside of V8's heap, and for their sake it would collect all garbage more often than
    // what dies young: a fifth of the processor time. They count as the heap does, which may be 1 GB before it is looked through.
    execArgv: ["--external-memory-accounted-in-global-limit", "--initial-heap-size=1024"],
    // A worker loads the modules once, not anew for each file: no module of src keeps anything, and each file makes its
    // own layers. It halves what is not testing.
    isolate: false
  }
})
