import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it, layer } from "@effect/vitest"
import { type Cause, Context, Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { parseConnectionEncryption, SSL_MODES } from "../../../src/platform/database/connection-encryption.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { formatFailure } from "../../../src/tools/cli/command-failure.ts"
import { missingServerReason, startPostgresServer, type TestPostgresServer } from "../../support/postgres-server.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const encryption = (query: string) => parseConnectionEncryption(`postgres://user:secret@host/database${query}`)

describe("what an address says of encryption", () => {
  it("is none where nothing is said, and one of four modes", () => {
    assert.deepStrictEqual(encryption(""), Result.succeed({ mode: "disable", rootCertificate: undefined }))
    assert.deepStrictEqual(encryption("?connect_timeout=3&sslmode=disable"), encryption(""))
    for (const mode of SSL_MODES.slice(1)) {
      const said = encryption(`?sslmode=${mode}&sslrootcert=%2Fetc%2Fca%20file.crt`)
      assert.deepStrictEqual(said, Result.succeed({ mode, rootCertificate: "/etc/ca file.crt" }))
    }
    assert.deepStrictEqual(
      encryption("?sslmode=verify-full"),
      Result.succeed({ mode: "verify-full", rootCertificate: undefined })
    )
  })

  it.each([
    ["?sslmode=prefer", /\bsslmode\b.*\bdisable, require, verify-ca, verify-full: .*\bunencrypted$/],
    ["?sslmode=allow", /\bsslmode\b.*\bdisable, require, verify-ca, verify-full: .*\bunencrypted$/],
    ["?sslmode=", /\bsslmode\b.*\bdisable, require, verify-ca, verify-full$/],
    ["?sslmode=Require", /\bsslmode\b.*\bdisable, require, verify-ca, verify-full$/],
    ["?sslmode=require&sslmode=disable", /\bone sslmode\b.*\bone sslrootcert\b/],
    ["?sslmode=require&sslrootcert=a&sslrootcert=b", /\bone sslmode\b.*\bone sslrootcert\b/],
    ["?sslrootcert=ca.crt", /^with sslmode=verify-full\b.*\bsslrootcert$/],
    ["?sslmode=verify-ca", /^with sslrootcert\b.*\bsslmode=verify-ca$/],
    ["?ssl=true", /^without ssl: .*\bsslmode\b.*\bsslrootcert\b/],
    ["?sslmode=require&sslcert=me.crt", /^without sslcert: .*\bsslmode\b.*\bsslrootcert\b/]
  ])("%s is refused", (query, expected) => {
    assert.match(
      Option.getOrElse(Result.getFailure(encryption(query)), () => "taken"),
      expected
    )
  })
})

const run = promisify(execFile)

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

/** An authority of its own, and another one that nobody knows; answers the lines for a server with a certificate of the first. */
const certified = async (certificates: string, folder: string): Promise<ReadonlyArray<string>> => {
  const at = (name: string) => join(certificates, name)
  for (const name of ["ca", "stranger"]) {
    const paths = ["-keyout", at(`${name}.key`), "-out", at(`${name}.crt`)]
    await run("openssl", ["req", "-x509", ...KEY, ...paths, "-subj", `/CN=${name}`, "-days", "2"])
  }
  const [key, request] = [join(folder, "server.key"), at("server.csr")]
  const names = ["-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1"]
  await run("openssl", ["req", ...KEY, "-keyout", key, "-out", request, ...names])
  const by = ["-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial"]
  const signed = ["-out", join(folder, "server.crt"), "-copy_extensions", "copy", "-days", "2"]
  await run("openssl", ["x509", "-req", "-in", request, ...by, ...signed])
  await writeFile(join(folder, "pg_hba.conf"), "hostssl all all all trust\n")
  return ["ssl=on"]
}

interface Encrypted {
  readonly server: TestPostgresServer
  readonly certificates: string
}

class EncryptedServer extends Context.Service<EncryptedServer, Encrypted>()("latchkey/test/EncryptedServer") {
  static readonly layer = Layer.effect(
    EncryptedServer,
    Effect.gen(function* () {
      const certificates = yield* makeEmptyFolder
      return { server: yield* startPostgresServer((folder) => certified(certificates, folder)), certificates }
    })
  )
}

/** How a connection to this address goes: what the server says of its encryption, or the line that a person reads. */
const connecting = (url: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
  ).pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 1 }), { local: true }),
    Effect.exit,
    Effect.map(
      Exit.match({
        onSuccess: ([row]) => (row?.ssl === true ? "encrypted" : "in the clear"),
        onFailure: (cause: Cause.Cause<unknown>) => formatFailure(cause)
      })
    )
  )

describe.skipIf(missingServerReason !== undefined)(
  `a server that takes encrypted connections alone${missingServerReason === undefined ? "" : ` (skipped: ${missingServerReason})`}`,
  () => {
    layer(EncryptedServer.layer, { excludeTestServices: true })((it) => {
      const cases: ReadonlyArray<readonly [query: string, host: "127.0.0.1" | "localhost", said: RegExp]> = [
        ["", "127.0.0.1", /^DATABASE_URL: .*: no pg_hba\.conf entry .*no encryption$/],
        ["?sslmode=disable", "127.0.0.1", /no encryption$/],
        ["?sslmode=require", "127.0.0.1", /^encrypted$/],
        ["?sslmode=require&sslrootcert=CA/stranger.crt", "127.0.0.1", /^DATABASE_URL: .*certificate/],
        ["?sslmode=require&sslrootcert=CA/ca.crt", "localhost", /^encrypted$/],
        ["?sslmode=verify-ca&sslrootcert=CA/ca.crt", "localhost", /^encrypted$/],
        ["?sslmode=verify-ca&sslrootcert=CA/stranger.crt", "127.0.0.1", /certificate/],
        ["?sslmode=verify-full&sslrootcert=CA/ca.crt", "127.0.0.1", /^encrypted$/],
        ["?sslmode=verify-full&sslrootcert=CA/ca.crt", "localhost", /does not match certificate's altnames/],
        ["?sslmode=verify-full", "127.0.0.1", /certificate/],
        ["?sslmode=verify-full&sslrootcert=CA/none.crt", "127.0.0.1", /^DATABASE_URL: .*\bsslrootcert: .*ENOENT/]
      ]
      for (const [query, host, said] of cases) {
        it.effect(`${host}${query || " without a sslmode"}: ${said}`, () =>
          Effect.gen(function* () {
            const { server, certificates } = yield* EncryptedServer
            const url = server.url.replace("127.0.0.1", host) + query.replace("CA/", `${certificates}/`)
            assert.match(yield* connecting(url), said)
          })
        )
      }

      it.effect("a statement that is given up is cancelled over an encrypted connection too", () =>
        Effect.gen(function* () {
          const { server, certificates } = yield* EncryptedServer
          const url = Redacted.make(`${server.url}?sslmode=verify-full&sslrootcert=${certificates}/ca.crt`)
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* Effect.timeoutOption(sql`SELECT pg_sleep(60)`, "300 millis")
            const sleeping =
              yield* sql`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'`
            assert.deepStrictEqual(sleeping, [])
          }).pipe(Effect.provide(layerPostgres({ url, maxConnections: 2 })))
        })
      )
    })
  }
)
