import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { digestHexOf, digestOf } from "../../../admission/gate/credentials.ts"
import { Refusals } from "../../../changes/Refusals.ts"
import { Acting } from "../../../contract/acting.ts"
import type { Person } from "../../../contract/caller.ts"
import { networkOf } from "../../../contract/caller-address.ts"
import { EMAIL, PASSWORD_MAX } from "../../../platform/limits.ts"
import { verifyPassword } from "../operators/password.ts"
import { COOKIE, KNOWN_COOKIE, newCookie, newKnownCookie } from "./cookie.ts"
import { makeCounting, type Tried } from "./failures.ts"
import { type From, Hashing, hashedAway } from "./Hashing.ts"
import { makeSessionStore, personOf } from "./session-store.ts"
import { emailDigestOf } from "./waits.ts"

/** Who is signed in, in one browser. */
export interface Session {
  readonly person: Person
  readonly email: string
  readonly operatorName: string
  /** When the password was last given, milliseconds since the epoch: what is weighty asks for it again after {@link SUDO_MS}. */
  readonly passwordAt: number
}

/** Milliseconds after which what is weighty asks for the password again. */
export const SUDO_MS = 15 * 60 * 1000

/** A sign-in that came to nothing. */
export type NotSignedIn =
  | { readonly _tag: "WrongPassword" }
  /** Too many were wrong, from there and for that address; not even looked at before so many seconds are over. */
  | { readonly _tag: "MustWait"; readonly seconds: number }
  /** More people sign in at once than the process has memory for. */
  | { readonly _tag: "Busy" }

export interface Attempt {
  readonly email: string
  readonly password: string
  /** Where it comes from, as far as it is known. */
  readonly address: string
  /** The cookie of the browser until now: whatever it stood for ends. */
  readonly before?: string | undefined
  /** What the browser was given when somebody signed in there before ({@link SignedIn.known}). */
  readonly known?: string | undefined
}

/** That the password was right a moment ago, in one session: for what only who knows it may do (Passwords.ts). */
export interface Confirmed {
  readonly accountId: number
  readonly cookie: string
  /** Of the password that was looked at, as the session knows it. */
  readonly passwordDigest: Uint8Array
  /** Where it was given, for who hashes the next one. */
  readonly from: From
}

const wrongPassword: NotSignedIn = { _tag: "WrongPassword" }

/** Who is signed in at the console. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Answers the value of a new cookie. */
    readonly signIn: (attempt: Attempt) => Effect.Effect<string, NotSignedIn, Acting>
    /** The session of a cookie's value; undefined: none, or ended, or of an account that was disabled or closed. */
    readonly find: (cookie: string) => Effect.Effect<Session | undefined>
    /** The password once more; then `passwordAt` is now. */
    readonly confirm: (
      cookie: string,
      given: Pick<Attempt, "password" | "address">
    ) => Effect.Effect<Confirmed, NotSignedIn, Acting>
    readonly signOut: (cookie: string) => Effect.Effect<void>
  }
>()("latchkey/console/Sessions") {
  static readonly layerNoDeps = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const refusals = yield* Refusals
      const store = makeSessionStore(sql)
      const right = lookingAt(yield* Hashing, makeCounting(sql))

      const signIn = Effect.fn("Sessions.signIn")(function* (attempt: Attempt) {
        const browser = KNOWN_COOKIE.test(attempt.known ?? "") ? (attempt.known ?? "") : newKnownCookie()
        const account = isEmail(attempt.email) ? yield* store.account(attempt.email, digestOf(browser)) : undefined
        const isKnown = account?.knownBrowser === true
        const place = isKnown ? `browser ${digestHexOf(browser)}` : networkOf(attempt.address)
        const tried = { emailDigest: emailDigestOf(account?.email ?? attempt.email), place }
        const open = account === undefined || account.closed ? undefined : account
        const isRight = yield* right(tried, attempt.password, open?.passwordHash, { place, isKnown })
        if (!isRight || open === undefined) {
          yield* refusals.signIn(account)
          return yield* Effect.fail(wrongPassword)
        }
        const cookie = newCookie()
        const { operatorId, accountId, passwordHash } = open
        const digests = { digest: digestOf(cookie), before: digestOf(attempt.before ?? ""), browser: digestOf(browser) }
        const made = store.signIn({ ...tried, operatorId, accountId, passwordHash, ...digests })
        const isMade = yield* Effect.updateService(made, Acting, (actor) => ({ ...actor, accountId }))
        return isMade ? cookie : yield* Effect.fail(wrongPassword)
      })

      const find = (cookie: string) =>
        COOKIE.test(cookie)
          ? Effect.map(store.find(digestOf(cookie)), (found): Session | undefined =>
              found === undefined
                ? undefined
                : {
                    person: personOf(found),
                    email: found.email,
                    operatorName: found.operatorName,
                    passwordAt: found.passwordAt.getTime()
                  }
            )
          : Effect.succeed(undefined)

      const confirm = Effect.fn("Sessions.confirm")(function* (
        cookie: string,
        { password, address }: Pick<Attempt, "password" | "address">
      ) {
        const found = yield* store.find(digestOf(cookie))
        if (found === undefined) return yield* Effect.fail(wrongPassword)
        // Who is signed in waits for what was wrong in this session alone.
        const tried = { emailDigest: emailDigestOf(found.email), place: `session ${digestHexOf(cookie)}` }
        const from: From = { place: networkOf(address), isKnown: true }
        if (!(yield* right(tried, password, found.passwordHash, from))) {
          yield* refusals.signIn(found)
          return yield* Effect.fail(wrongPassword)
        }
        const passwordDigest = digestOf(found.passwordHash)
        const isStill = yield* store.confirm({ ...tried, digest: digestOf(cookie), lookedAt: passwordDigest })
        return isStill
          ? { accountId: found.accountId, cookie, passwordDigest, from }
          : yield* Effect.fail(wrongPassword)
      })

      return Sessions.of({ signIn, find, confirm, signOut: (cookie) => Effect.asVoid(store.signOut(digestOf(cookie))) })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, Hashing.layer)
}

/** Whether the database could have it: it cannot store U+0000, nor half a character. */
const isEmail = (text: string): boolean => text.length <= EMAIL && !text.includes("\u0000") && text.isWellFormed()

/** Whether the password is right, looked at where there is room for it and where it need not be waited first. */
const lookingAt = (hashing: Hashing["Service"], counted: ReturnType<typeof makeCounting>) => {
  const looked = Effect.fnUntraced(function* (tried: Tried, password: string, passwordHash: string | undefined) {
    const seconds = yield* counted(tried)
    if (seconds !== undefined) return yield* Effect.fail<NotSignedIn>({ _tag: "MustWait", seconds })
    // None that long is anybody's, and hashing it would take as long as whoever sent it likes.
    const isTooLong = password.length > 2 * PASSWORD_MAX
    return yield* verifyPassword(isTooLong ? "" : password, isTooLong ? undefined : passwordHash)
  })
  return (tried: Tried, password: string, passwordHash: string | undefined, from: From) =>
    hashedAway(hashing, from, looked(tried, password, passwordHash))
}
