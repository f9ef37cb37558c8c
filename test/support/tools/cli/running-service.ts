import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigProvider, Console, Context, Effect, Exit, Layer } from "effect"
import { migrations } from "../../../../migrations/index.ts"
import { layerControlSocket } from "../../../../src/platform/database/control-socket.ts"
import { migrate } from "../../../../src/platform/database/migrate.ts"
import { runLatchkey } from "../../../../src/tools/cli/program.ts"
import { layerEmptyDatabaseInMemory, layerTestDatabaseInMemory } from "../../test-database.ts"
import type { CommandResult } from "./latchkey-process.ts"

// A command line without the time a process takes to start, beside a service without the time a data folder takes to
// open: the program and the way to the database are the real ones. `latchkey.ts` has the processes.

/** The data folder of a service that takes commands; its database is in memory. */
export class ServiceFolder extends Context.Service<ServiceFolder, string>()("latchkey/test/cli/Folder") {}

const layerFolder = Layer.effect(
  ServiceFolder,
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-beside-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
)

const layerFolderControlSocket = Layer.unwrap(
  Effect.map(ServiceFolder, (folder) => layerControlSocket(folder, Effect.void))
)

/** A migrated embedded database, and what a command reaches it by. */
export const layerRunningService = Layer.mergeAll(
  layerFolderControlSocket,
  Layer.effectDiscard(Effect.orDie(migrate(migrations)))
).pipe(Layer.provideMerge(Layer.mergeAll(layerFolder, layerTestDatabaseInMemory)))

/** An empty one. */
export const layerEmptyService = Layer.provideMerge(
  layerFolderControlSocket,
  Layer.mergeAll(layerFolder, layerEmptyDatabaseInMemory)
)

/** Runs `latchkey` in this process, to its end. */
export const runLatchkeyInProcess = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Record<string, string>
) {
  const written = { stdout: "", stderr: "" }
  const appendTo = (stream: keyof typeof written) => (line: string) => {
    written[stream] += `${line}\n`
  }
  const exit = yield* Effect.exit(runLatchkey(args)).pipe(
    Effect.provideService(Console.Console, { ...console, log: appendTo("stdout"), error: appendTo("stderr") }),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  const result: CommandResult = { code: Exit.isSuccess(exit) ? 0 : 1, ...written }
  return result
})

/** The same with a folder whose service it runs beside. */
export const runBesideService = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Effect.flatMap(ServiceFolder, (DATA_DIR) => runLatchkeyInProcess(args, { DATA_DIR, ...env }))
