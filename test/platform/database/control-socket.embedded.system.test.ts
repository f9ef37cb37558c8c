import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerCommandEmbedded } from "../../../src/platform/database/command-embedded.ts"
import {
  controlLinkFolder,
  controlSocketPath,
  ensureShortControlPath,
  MAX_SOCKET_PATH_BYTES
} from "../../../src/platform/database/control-path.ts"
import { layerControlSocket, MAX_CONTROL_CONNECTIONS } from "../../../src/platform/database/control-socket.ts"
import { EmbeddedDatabase } from "../../../src/platform/database/embedded.ts"
import { findOwnerWithoutLock } from "../../../src/platform/database/folder-owner.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

/** A folder whose path has so many bytes; 0: as short as it comes. */
const folderOf = (bytes = 0) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lk-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  ).pipe(
    Effect.map((made) => {
      const folder = join(made, "d".repeat(Math.max(bytes - made.length - 1, 1)))
      mkdirSync(folder, { mode: 0o700 })
      return folder
    })
  )

/** No link of an earlier run in the temporary folder, and none of this one afterwards. */
const withoutLink = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => rmSync(controlLinkFolder(folder), { recursive: true, force: true })),
    () => Effect.sync(() => rmSync(controlLinkFolder(folder), { recursive: true, force: true }))
  )

/** A service on a database in memory that takes commands in a folder; counts how often its workers are woken. */
const service = Effect.fnUntraced(function* (folder: string) {
  let woken = 0
  const scope = yield* Effect.acquireRelease(Scope.make(), (opened) => Scope.close(opened, Exit.void))
  const socket = layerControlSocket(
    folder,
    Effect.sync(() => {
      woken++
    })
  )
  const database = Context.make(EmbeddedDatabase, yield* EmbeddedDatabase)
  yield* Layer.buildWithScope(Layer.fresh(socket), scope).pipe(Effect.provide(database))
  return { woken: () => woken, stop: Scope.close(scope, Exit.void) }
})

/** Statements of a command on that folder. */
const commanded = <A, E>(folder: string, work: (sql: SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient, work).pipe(Effect.provide(layerCommandEmbedded(folder), { local: true }))

const connected = (folder: string) =>
  Effect.callback<Socket>((resume) => {
    const socket = connect(controlSocketPath(folder), () => resume(Effect.succeed(socket)))
    socket.on("error", () => {})
  })

const pause = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))

layer(layerTestDatabaseInMemory, { excludeTestServices: true })("the control socket", (it) => {
  it.effect("lets a command work on the database of the service, whose workers are woken", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      const { woken } = yield* service(folder)
      yield* commanded(folder, (sql) => sql`create table made (id integer)`)
      const sql = yield* SqlClient
      assert.deepStrictEqual(yield* sql`select id from made`, [])
      assert.isAbove(woken(), 0)
      assert.deepStrictEqual(readdirSync(folder), ["control.sock"])
    })
  )

  it.effect("is its user's alone, also in a folder that is not", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      chmodSync(folder, 0o755)
      yield* service(folder)
      assert.strictEqual(statSync(controlSocketPath(folder)).mode & 0o777, 0o600)
    })
  )

  it.effect.each([MAX_SOCKET_PATH_BYTES, MAX_SOCKET_PATH_BYTES + 1, 240])(
    "is found where its path has %s bytes",
    (bytes) =>
      Effect.gen(function* () {
        const folder = yield* folderOf(bytes - "/control.sock".length)
        yield* withoutLink(folder)
        assert.strictEqual(controlSocketPath(folder).length, bytes)
        const { stop } = yield* service(folder)
        assert.deepStrictEqual(yield* commanded(folder, (sql) => sql`select 1 as one`), [{ one: 1 }])
        yield* stop
        assert.isFalse(existsSync(controlSocketPath(folder)))
      })
  )

  it.effect("is looked for without a link in a folder where no service ran", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf(200)
      yield* withoutLink(folder)
      assert.isUndefined(yield* findOwnerWithoutLock(folder))
      assert.isFalse(existsSync(controlLinkFolder(folder)))
    })
  )

  it.effect("is reached over one link however many processes were killed, which is made once", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf(200)
      yield* withoutLink(folder)
      const before = new Set(readdirSync(tmpdir()))
      const paths = yield* Effect.all(
        Array.from({ length: 5 }, () => ensureShortControlPath(folder)),
        { concurrency: 5 }
      )
      assert.deepStrictEqual(new Set(paths), new Set([join(controlLinkFolder(folder), "data", "control.sock")]))
      const made = readdirSync(tmpdir()).filter((name) => name.startsWith("latchkey-control-") && !before.has(name))
      assert.deepStrictEqual(made, [basename(controlLinkFolder(folder))])
      assert.strictEqual(readlinkSync(join(controlLinkFolder(folder), "data")), folder)
      assert.strictEqual(statSync(controlLinkFolder(folder)).mode & 0o777, 0o700)
    })
  )

  it.effect.each([
    {
      what: "others may enter",
      make: (path: string) => chmodSync(mkdirSync(path, { recursive: true }) ?? path, 0o755)
    },
    { what: "is a link", make: (path: string) => symlinkSync(tmpdir(), path) },
    { what: "is a file", make: (path: string) => writeFileSync(path, "") }
  ])("does not go over a folder in its link's place that $what", ({ make }) =>
    Effect.gen(function* () {
      const folder = yield* folderOf(200)
      yield* withoutLink(folder)
      make(controlLinkFolder(folder))
      assert.strictEqual(
        fieldOfError({ error_msg: (yield* Effect.flip(ensureShortControlPath(folder))).message }),
        controlLinkFolder(folder)
      )
    })
  )

  it.effect("takes the place of what a killed service left", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      writeFileSync(controlSocketPath(folder), "")
      yield* service(folder)
      assert.deepStrictEqual(yield* commanded(folder, (sql) => sql`select 1 as one`), [{ one: 1 }])
    })
  )

  it.effect("that cannot be made stops no service", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      mkdirSync(controlSocketPath(folder))
      writeFileSync(join(controlSocketPath(folder), "theirs"), "")
      const { stop } = yield* service(folder)
      yield* stop
      assert.isTrue(existsSync(join(controlSocketPath(folder), "theirs")))
    })
  )

  it.effect("takes so many commands at once and tells one more that it is one too many", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      yield* service(folder)
      const idle = yield* Effect.forEach(Array.from({ length: MAX_CONTROL_CONNECTIONS - 1 }), () => connected(folder))
      const ask = commanded(folder, (sql) => sql`select 1 as one`)
      assert.deepStrictEqual(yield* ask, [{ one: 1 }])
      // The one before may be on its way out still.
      const full = Effect.flatMap(connected(folder), (last) =>
        Effect.tapError(
          Effect.map(Effect.flip(ask), (refused) => ({ refused, last })),
          () => Effect.sync(() => last.destroy())
        )
      )
      const { refused, last } = yield* Effect.retry(full, { times: 100 })
      assert.match(String(refused._tag === "SqlError" ? refused.reason.cause : refused), /\btoo many\b/)
      last.destroy()
      assert.deepStrictEqual(yield* Effect.retry(ask, { times: 100 }), [{ one: 1 }])
      for (const socket of idle) socket.destroy()
    })
  )

  it.effect("has a place again when one was refused and takes nothing any more", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      yield* service(folder)
      const startup = "\0\0\0\x17\0\x03\0\0user\0postgres\0\0"
      const query = "select repeat('x', 1000000)\0"
      const tooLarge = "Q\x7f\xff\xff\xff"
      const deaf = yield* Effect.forEach(Array.from({ length: MAX_CONTROL_CONNECTIONS }), () => connected(folder))
      for (const socket of deaf) {
        socket.pause()
        socket.write(`${startup}Q\0\0\0${String.fromCharCode(query.length + 4)}${query}${tooLarge}`, "latin1")
      }
      const ask = commanded(folder, (sql) => sql`select 1 as one`)
      const again = Effect.retry(Effect.delay(ask, 100), { times: 150 })
      assert.deepStrictEqual(yield* again, [{ one: 1 }])
      for (const socket of deaf) socket.destroy()
    })
  )

  it.effect("is gone at a stop before the last command is; one that does not end is cut off and undone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const folder = yield* folderOf()
      const { stop } = yield* service(folder)
      yield* sql`create table stopped (id integer)`
      const cut = yield* Effect.exit(
        commanded(folder, (guest) =>
          guest.withTransaction(
            Effect.gen(function* () {
              yield* guest`insert into stopped values (1)`
              yield* Effect.forkChild(stop, { startImmediately: true })
              while (existsSync(controlSocketPath(folder))) yield* pause(1)
              yield* guest`insert into stopped values (2)`
              yield* pause(1_000)
              yield* guest`insert into stopped values (3)`
            })
          )
        )
      )
      assert.isTrue(Exit.isFailure(cut))
      assert.deepStrictEqual(yield* sql`select id from stopped`, [])
    })
  )
})
