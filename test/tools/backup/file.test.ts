import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Option, Result } from "effect"
import { makeBackupLineWriter, makeLineSplitter } from "../../../src/tools/backup/backup-lines.ts"
import { type BackupPiece, FORMAT_VERSION } from "../../../src/tools/backup/backup-pieces.ts"
import { openBackup } from "../../../src/tools/backup/backup-reader.ts"
import { writeBackup } from "../../../src/tools/backup/backup-writer.ts"
import { fieldOfFailure } from "../../support/tools/cli/command-failures.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const HEADER = {
  format: "latchkey backup",
  version: FORMAT_VERSION,
  latchkey: "3.13.0",
  made_at: "2026-11-25T03:00:00.000Z",
  server: "PostgreSQL 18.6",
  migrations: [{ id: 1, name: "foundation" }]
} as const

const PIECES: ReadonlyArray<BackupPiece> = [
  HEADER,
  { table: "notes", columns: [{ name: "text", type: "text" }], rows: 3, digest: "7" },
  { some: ['("two\nlines")', "(\u2028 ünïcode 🏠)", String.raw`("a ""quoted"" \\ one")`] },
  { sequences: { notes_id_seq: "9007199254740993" } },
  { image: { operator_id: 1, id: 2, token: "lkimage_x" }, content: new Uint8Array([0, 255, 10, 13]) },
  { end: { images: 1, images_missing: 0 } }
]

const writing = (file: string, pieces = PIECES, force = false) =>
  writeBackup(file, force, (tell) => Effect.forEach(pieces, tell, { discard: true }))

const read = (file: string) =>
  Effect.gen(function* () {
    const { header, forEachPiece: tellInto } = yield* openBackup(file)
    const told: Array<BackupPiece> = [header]
    yield* tellInto((piece) => Effect.sync(() => told.push(piece)))
    return told
  }).pipe(Effect.scoped)

const refusal = (file: string) => Effect.map(Effect.flip(read(file)), ({ message }) => message)

it.live("what is written is read, whatever a row holds; only its user may read the file", () =>
  Effect.gen(function* () {
    const file = join(yield* makeEmptyFolder, "a.latchkey")
    yield* writing(file)
    assert.deepStrictEqual(yield* read(file), PIECES)
    const { mode } = yield* Effect.promise(() => stat(file))
    assert.strictEqual(mode & 0o777, 0o600)
  })
)

it.live("a file that is there stays unless it is said otherwise, and what breaks off leaves nothing", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const file = join(folder, "a.latchkey")
    yield* writing(file)
    const again = yield* Effect.flip(writing(file))
    assert.match(again.message, new RegExp(`^FILE: ${file} .*--force\\b`))
    const broken = yield* Effect.exit(
      writeBackup(file, true, (tell) => Effect.andThen(tell(HEADER), Effect.fail("broken off" as const)))
    )
    assert.isTrue(Exit.isFailure(broken))
    assert.deepStrictEqual(yield* read(file), PIECES)
    yield* writing(
      file,
      PIECES.filter((piece) => !("image" in piece)),
      true
    )
    assert.strictEqual((yield* read(file)).length, PIECES.length - 1)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), ["a.latchkey"])
  })
)

it.live("what is no file is never made one, and a name must be given", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const [inner, link] = [join(folder, "inner"), join(folder, "link")]
    yield* Effect.promise(() => mkdir(inner))
    yield* Effect.promise(() => symlink("/dev/null", link))
    for (const file of [inner, link]) {
      const { message } = yield* Effect.flip(writing(file, PIECES, true))
      assert.match(message, new RegExp(`^FILE: .*\\bregular file\\b.*${file}$`))
    }
    assert.strictEqual(fieldOfFailure((yield* Effect.flip(writing(""))).message), "FILE")
    assert.sameMembers(yield* Effect.promise(() => readdir(folder)), ["inner", "link"])
    assert.isTrue((yield* Effect.promise(() => lstat(link))).isSymbolicLink())
  })
)

it.live("one that is cut off anywhere, or has any byte altered or appended, is refused", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const [file, other] = [join(folder, "a.latchkey"), join(folder, "b.latchkey")]
    yield* writing(file)
    const whole = yield* Effect.promise(() => readFile(file))
    const spoilt = [
      ...Array.from(whole, (_, at) => whole.subarray(0, at)),
      ...Array.from(whole, (byte, at) =>
        Buffer.concat([whole.subarray(0, at), Buffer.from([byte ^ 1]), whole.subarray(at + 1)])
      ),
      Buffer.concat([whole, Buffer.from("\n")])
    ]
    for (const bytes of spoilt) {
      yield* Effect.promise(() => writeFile(other, bytes))
      assert.match(yield* refusal(other), /^FILE: .*\b(not a backup|checksum)\b[^\n]*$/)
    }
  })
)

it.live("what is no backup, and a format that is not known, is refused in one line", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const file = join(folder, "a.latchkey")
    assert.match(yield* refusal(file), /^FILE: .*\bENOENT\b/)
    yield* Effect.promise(() => writeFile(file, "-- PostgreSQL database dump\n".repeat(100)))
    assert.match(yield* refusal(file), /\bnot a backup of Latchkey$/)
    yield* writing(file, [{ ...HEADER, version: FORMAT_VERSION + 1, latchkey: "9.0.0" }], true)
    assert.match(yield* refusal(file), /\bLatchkey 9\.0\.0\b/)
    yield* writing(file, PIECES.slice(1), true)
    assert.match(yield* refusal(file), /\bnot a backup of Latchkey, .*\brelease\b/)
  })
)

const NOTES: BackupPiece = {
  table: "notes",
  columns: ["note", "operator_id", "text", "id"].map((name) => ({ name, type: "text" })),
  key: ["operator_id", "id"],
  rows: 1,
  digest: "7"
}

it("a line is written that a reader takes, and one more character is refused by table and key", () => {
  const row = String.raw`("a ""b"", (\\"", ",7,"(,",${"1".repeat(150)})`
  const most = JSON.stringify(row).length
  const written = (limit: number, pieces: ReadonlyArray<BackupPiece>) =>
    Result.all(pieces.map(makeBackupLineWriter(limit)))
  assert.isTrue(Result.isSuccess(written(most, [{ some: ["(x,1,y,2)", row] }])))
  const refused = Result.getFailure(written(most - 1, [{ some: [row] }]))
  assert.deepStrictEqual(Option.getOrThrow(refused).message.match(/\d+/g), [most, most - 1].map(String))
  const longest = JSON.stringify(NOTES).length
  const write = makeBackupLineWriter(longest)
  assert.isTrue(Result.isSuccess(write(NOTES)))
  const long = row.replace(/1+\)$/, `${"1".repeat(longest)})`)
  assert.match(
    Option.getOrThrow(Result.getFailure(write({ some: [long] }))).message,
    /^notes, operator_id 7, id 1{100}: .*\b\d+ characters\b/
  )
  const image: BackupPiece = { image: { operator_id: 1, id: 9, token: "t" }, content: new Uint8Array(longest) }
  assert.match(Option.getOrThrow(Result.getFailure(write(image))).message, /^image 9: /)
})

it.live("what has a line that is too long leaves no file", () =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const told = [NOTES, { some: [`(x,7,y,${"1".repeat(300)})`] }]
    const telling = writeBackup(
      join(folder, "a.latchkey"),
      false,
      (tell) => Effect.forEach(told, tell, { discard: true }),
      JSON.stringify(NOTES).length
    )
    assert.match((yield* Effect.flip(telling)).message, /: notes, operator_id 7, id 1{100}: /)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), [])
  })
)

it("a line may have so many characters and no more, however it comes", () => {
  const push = (most: number, chunks: ReadonlyArray<string>) => {
    const cutter = makeLineSplitter(most)
    return Result.map(Result.all(chunks.map(cutter.push)), (lines) => ({
      lines: lines.flat(),
      whole: cutter.isAtLineEnd()
    }))
  }
  assert.deepStrictEqual(push(4, ["ab", "cd\nx", "y\n"]), Result.succeed({ lines: ["abcd", "xy"], whole: true }))
  assert.deepStrictEqual(push(4, ["abcd\nxy"]), Result.succeed({ lines: ["abcd"], whole: false }))
  assert.isTrue(Result.isFailure(push(3, ["ab", "cd\n"])))
  assert.isTrue(Result.isFailure(push(3, ["abcd"])))
  assert.isTrue(Result.isFailure(push(3, ["\nabcd\n"])))
})
