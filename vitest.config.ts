import { defineConfig } from "vitest/config"

// Excludes the tests of the embedded database in a run on a server.
const exclude = ["**/node_modules/**", ...(process.env.DATABASE_URL ? ["test/**/*.embedded.*.test.ts"] : [])]
const globalSetup = ["test/support/global-setup.ts"]
const refuseSockets = "test/support/refuse-sockets.ts"

export default defineConfig({
  test: {
    // A hanging test fails after two minutes; on a slow machine some need one. A test that needs longer passes a limit of test/support/time-limits.ts.
    testTimeout: 120_000,
    // A hook starts what the tests of a file share, such as a service with a database of its own.
    hookTimeout: 240_000,
    // More than the two cores of the smallest machine, because tests of processes and of browsers mostly wait for them.
    // Each worker takes about 1 GB.
    maxWorkers: 5,
    // The files of embedded databases are memory outside of V8's heap. By default that memory triggers full garbage collections, which take
    // a fifth of the processor time. With these flags it counts in the heap limit, and V8 lets the heap grow to 1 GB before a collection.
    execArgv: ["--external-memory-accounted-in-global-limit", "--initial-heap-size=1024"],
    // A worker loads the modules once for all files, which halves the overhead. This is safe, because no module of src has state and each
    // file makes its own layers.
    isolate: false,
    // The name of a test file says what its tests need.
    projects: [
      {
        // Tests without a database, a socket or a process.
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/**/*.{service,system}.test.ts"],
          setupFiles: [refuseSockets]
        }
      },
      {
        // Tests with a database and the layers of the service, in this process.
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.service.test.ts"],
          exclude,
          globalSetup,
          setupFiles: [refuseSockets]
        }
      },
      {
        // Tests with a socket, other processes or a browser.
        extends: true,
        test: { name: "system", include: ["test/**/*.system.test.ts"], exclude, globalSetup }
      }
    ]
  }
})
