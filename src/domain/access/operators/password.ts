import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { Context, Effect } from "effect"

export interface PasswordCost {
  /** A power of two. A hash takes `128 * N * r` bytes of memory. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** OWASP's scrypt parameters for 32 MiB. Each stored hash contains its own cost. */
export const PasswordCost = Context.Reference<PasswordCost>("latchkey/domain/access/operators/PasswordCost", {
  defaultValue: () => ({ N: 2 ** 15, r: 8, p: 3 })
})

const SALT_BYTES = 16
const KEY_BYTES = 32

const deriveKey = (password: string, salt: Buffer, { N, r, p }: PasswordCost): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    // NFKC, because keyboards produce different code points for the same password.
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

export const hashPassword = Effect.fnUntraced(function* (password: string) {
  const cost = yield* PasswordCost
  const salt = randomBytes(SALT_BYTES)
  const key = yield* deriveKey(password, salt, cost)
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$")
})

const STORED_HASH = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/

/** Without a hash this takes the same time, so the response time does not reveal which accounts exist. */
export const verifyPassword = Effect.fn("verifyPassword")(function* (password: string, hash: string | undefined) {
  if (hash === undefined) return yield* Effect.as(hashPassword(password), false)
  const [matched, N, r, p, salt, key] = STORED_HASH.exec(hash) ?? []
  if (matched === undefined || salt === undefined || key === undefined) {
    return yield* Effect.die(new Error("a stored password hash cannot be read"))
  }
  const stored = Buffer.from(key, "base64url")
  const derived = yield* deriveKey(password, Buffer.from(salt, "base64url"), {
    N: Number(N),
    r: Number(r),
    p: Number(p)
  })
  return stored.length === derived.length && timingSafeEqual(stored, derived)
})
