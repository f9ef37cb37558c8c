import { readFile } from "node:fs/promises"
import type { ConnectionOptions } from "node:tls"
import { Effect, Redacted, Result } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

// Implements the `sslmode` values of libpq. The client library would treat `require` as the strictest mode and ignore
// `sslrootcert`.

export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const
type SslMode = (typeof SSL_MODES)[number]

interface ConnectionEncryption {
  readonly mode: SslMode
  /** CA file. Default: the CAs of Node. */
  readonly rootCertificate: string | undefined
}

const isMode = (text: string): text is SslMode => SSL_MODES.some((mode) => mode === text)

/**
 * Fails with a phrase that says which address is allowed. `prefer` and `allow` are rejected because an attacker can
 * downgrade them.
 */
export const parseConnectionEncryption = (address: string): Result.Result<ConnectionEncryption, string> => {
  const sslParameters = Array.from(new URL(address).searchParams).filter(([name]) => name.startsWith("ssl"))
  const unknownParameter = sslParameters.find(([name]) => name !== "sslmode" && name !== "sslrootcert")
  if (unknownParameter !== undefined)
    return Result.fail(`without ${unknownParameter[0]}: only sslmode and sslrootcert are supported`)
  const { sslmode = "disable", sslrootcert } = Object.fromEntries(sslParameters)
  if (new Map(sslParameters).size < sslParameters.length)
    return Result.fail("with one sslmode and one sslrootcert at most")
  if (!isMode(sslmode)) {
    const warning =
      sslmode === "prefer" || sslmode === "allow" ? ": with other modes a connection may be unencrypted" : ""
    return Result.fail(`whose sslmode is one of ${SSL_MODES.join(", ")}${warning}`)
  }
  if (sslmode === "disable" && sslrootcert !== undefined) {
    return Result.fail("with sslmode=verify-full if it has sslrootcert")
  }
  // The mode `verify-ca` needs a CA file, because anyone can get a certificate from a public CA.
  if (sslmode === "verify-ca" && sslrootcert === undefined) {
    return Result.fail("with sslrootcert if it has sslmode=verify-ca")
  }
  return Result.succeed({ mode: sslmode, rootCertificate: sslrootcert })
}

const toConnectionError = (message: string, cause: unknown) =>
  new SqlError({ reason: new ConnectionError({ cause, message, operation: "connect" }) })

/** As in libpq, `require` verifies a certificate only if there is a CA file. */
export const makeTlsOptions = Effect.fnUntraced(function* (
  url: Redacted.Redacted
): Effect.fn.Return<false | ConnectionOptions, SqlError> {
  const encryption = parseConnectionEncryption(Redacted.value(url))
  if (Result.isFailure(encryption)) {
    const message = `the address must be one ${encryption.failure}`
    return yield* toConnectionError(message, new Error(message))
  }
  const { mode, rootCertificate } = encryption.success
  if (mode === "disable") return false
  if (rootCertificate === undefined) return { rejectUnauthorized: mode !== "require" }
  const ca = yield* Effect.tryPromise({
    try: () => readFile(rootCertificate),
    catch: (cause) => toConnectionError("cannot read sslrootcert", new Error(`cannot read sslrootcert: ${cause}`))
  })
  return { ca, rejectUnauthorized: true, ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }) }
})
