import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql/SqlClient"
import packageJson from "../../../package.json" with { type: "json" }
import { makeFolderByteStorage } from "../../domain/guests/images/folder-byte-storage.ts"
import { Configuration } from "../../service/configuration.ts"
import { writeBackup } from "../backup/backup-writer.ts"
import { exportDatabase } from "../backup/database-export.ts"
import { findImageFolder, withSourceDatabase } from "../backup/installation-database.ts"
import { runStandaloneCommand } from "./command-runner.ts"

export const formatImageCounts = ({
  images,
  images_missing
}: {
  readonly images: number
  readonly images_missing: number
}) => (images_missing === 0 ? `${images} images` : `${images} images (the files of ${images_missing} more are missing)`)

const createBackup = Effect.fnUntraced(function* (file: string, force: boolean) {
  const startedAt = performance.now()
  const settings = yield* Configuration
  const folder = findImageFolder(settings)
  const source = {
    latchkey: packageJson.version,
    images: folder === undefined ? undefined : makeFolderByteStorage(folder)
  }
  // Opens the file first, so that its problems are reported before the copy starts.
  const [contents, writtenFile] = yield* writeBackup(file, force, (writePiece) =>
    withSourceDatabase(settings, (heldMs) =>
      Effect.gen(function* () {
        const contents = yield* exportDatabase(yield* SqlClient, source, writePiece)
        return { ...contents, ...(heldMs === undefined ? {} : { held_ms: Math.round(heldMs) }) }
      })
    )
  )
  return { file, ...writtenFile, ...contents, seconds: Math.round(performance.now() - startedAt) / 1_000 }
})

export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(Argument.withDescription("File to write, such as today.latchkey")),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace an existing file once the new one is complete (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ file, force }) =>
    runStandaloneCommand(
      createBackup(file, force),
      (result) =>
        `${result.file}: ${result.rows} rows of ${result.tables} tables and ${formatImageCounts(result)}, ${result.bytes} bytes, in ${result.seconds} s.` +
        (!("held_ms" in result) ? "" : ` Calls waited for at most ${result.held_ms} ms.`)
    )
).pipe(
  Command.withDescription("Write the database and the images to a file, while the service runs"),
  Command.withExamples([
    { command: "latchkey backup today.latchkey", description: "Create a file that only you can read" }
  ])
)
