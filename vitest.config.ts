import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than the least number of cores: tests of processes wait for them.
    maxWorkers: 3,
    // A worker loads the modules once, not anew for each file: no module of src keeps anything, and each file makes its
    // own layers. It halves what is not testing.
    isolate: false
  }
})
