import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest, computeDigestHex } from "../../../admission/gate/credentials.ts"
import { FailedCallCounter } from "../../../changes/FailedCallCounter.ts"
import { CurrentActor } from "../../../contract/actor.ts"
import type { TrustedAccount } from "../../../contract/caller.ts"
import { networkOf } from "../../../contract/caller-address.ts"
import { EMAIL_LENGTH, PASSWORD_MAX } from "../../../platform/limits.ts"
import { verifyPassword } from "../operators/password.ts"
import {
  KNOWN_BROWSER_COOKIE_PATTERN,
  newKnownBrowserCookie,
  newSessionCookie,
  SESSION_COOKIE_PATTERN
} from "./cookies.ts"
import { HashingLimiter, type HashingSource, hashReleasingPermit } from "./HashingLimiter.ts"
import { makeSessionStore, toSignedInAccount } from "./session-store.ts"
import { emailDigestOf } from "./sign-in-failure-rules.ts"
import { makeFailureCounter, type SignInAttemptKey } from "./sign-in-failures.ts"

export interface Session {
  readonly person: TrustedAccount
  readonly email: string
  readonly operatorName: string
  /** Milliseconds since the epoch. */
  readonly passwordAt: number
}

/** Sensitive actions need a password check within this time. */
export const SUDO_MS = 15 * 60 * 1000

export type SignInFailure =
  | { readonly _tag: "WrongPassword" }
  /** The password was not checked, because there were too many failures. */
  | { readonly _tag: "MustWait"; readonly seconds: number }
  | { readonly _tag: "Busy" }

export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly address: string
  /** The session that the sign-in ends. */
  readonly previousCookie?: string | undefined
  readonly knownBrowserCookie?: string | undefined
}

/** Proves a recent password check, which `Passwords.changeOwn` requires. */
export interface PasswordConfirmation {
  readonly accountId: number
  readonly cookie: string
  readonly passwordDigest: Uint8Array
  readonly source: HashingSource
}

const wrongPassword: SignInFailure = { _tag: "WrongPassword" }

export class Sessions extends Context.Service<
  Sessions,
  {
    /** Returns the session cookie. */
    readonly signIn: (attempt: SignInAttempt) => Effect.Effect<string, SignInFailure, CurrentActor>
    /** Returns undefined if the session has ended, its account is disabled, or its operator is closed. */
    readonly find: (cookie: string) => Effect.Effect<Session | undefined>
    readonly confirmPassword: (
      cookie: string,
      input: Pick<SignInAttempt, "password" | "address">
    ) => Effect.Effect<PasswordConfirmation, SignInFailure, CurrentActor>
    readonly signOut: (cookie: string) => Effect.Effect<void>
  }
>()("latchkey/domain/access/sign-in/Sessions") {
  static readonly layerNoDeps = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const failedCallCounter = yield* FailedCallCounter
      const store = makeSessionStore(sql)
      const checkPassword = makePasswordCheck(yield* HashingLimiter, makeFailureCounter(sql))

      const signIn = Effect.fn("Sessions.signIn")(function* (attempt: SignInAttempt) {
        const browserCookie = KNOWN_BROWSER_COOKIE_PATTERN.test(attempt.knownBrowserCookie ?? "")
          ? (attempt.knownBrowserCookie ?? "")
          : newKnownBrowserCookie()
        const account = isStorableEmail(attempt.email)
          ? yield* store.findAccount(attempt.email, computeDigest(browserCookie))
          : undefined
        const isKnown = account?.knownBrowser === true
        const key = isKnown ? `browser ${computeDigestHex(browserCookie)}` : networkOf(attempt.address)
        const attemptKey = { emailDigest: emailDigestOf(account?.email ?? attempt.email), place: key }
        const openAccount = account === undefined || account.closed ? undefined : account
        const isPasswordCorrect = yield* checkPassword(attemptKey, attempt.password, openAccount?.passwordHash, {
          key,
          isKnown
        })
        if (!isPasswordCorrect || openAccount === undefined) {
          yield* failedCallCounter.recordSignIn(account)
          return yield* Effect.fail(wrongPassword)
        }
        const cookie = newSessionCookie()
        const { operatorId, accountId, passwordHash } = openAccount
        const digests = {
          digest: computeDigest(cookie),
          previousDigest: computeDigest(attempt.previousCookie ?? ""),
          browserDigest: computeDigest(browserCookie)
        }
        const createSession = store.signIn({ ...attemptKey, operatorId, accountId, passwordHash, ...digests })
        const isSignedIn = yield* Effect.updateService(createSession, CurrentActor, (actor) => ({
          ...actor,
          accountId
        }))
        return isSignedIn ? cookie : yield* Effect.fail(wrongPassword)
      })

      const find = (cookie: string) =>
        SESSION_COOKIE_PATTERN.test(cookie)
          ? Effect.map(store.find(computeDigest(cookie)), (row): Session | undefined =>
              row === undefined
                ? undefined
                : {
                    person: toSignedInAccount(row),
                    email: row.email,
                    operatorName: row.operatorName,
                    passwordAt: row.passwordAt.getTime()
                  }
            )
          : Effect.succeed(undefined)

      const confirmPassword = makeConfirmPassword(store, checkPassword, failedCallCounter)

      return Sessions.of({
        signIn,
        find,
        confirmPassword,
        signOut: (cookie) => Effect.asVoid(store.signOut(computeDigest(cookie)))
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, HashingLimiter.layer)
}

const makeConfirmPassword = (
  store: ReturnType<typeof makeSessionStore>,
  checkPassword: ReturnType<typeof makePasswordCheck>,
  failedCallCounter: FailedCallCounter["Service"]
) =>
  Effect.fn("Sessions.confirm")(function* (
    cookie: string,
    { password, address }: Pick<SignInAttempt, "password" | "address">
  ) {
    const session = yield* store.find(computeDigest(cookie))
    if (session === undefined) return yield* Effect.fail(wrongPassword)
    // Counted per session, so that other people's failures do not delay the signed-in person.
    const attemptKey = { emailDigest: emailDigestOf(session.email), place: `session ${computeDigestHex(cookie)}` }
    const source: HashingSource = { key: networkOf(address), isKnown: true }
    if (!(yield* checkPassword(attemptKey, password, session.passwordHash, source))) {
      yield* failedCallCounter.recordSignIn(session)
      return yield* Effect.fail(wrongPassword)
    }
    const passwordDigest = computeDigest(session.passwordHash)
    const isConfirmed = yield* store.confirmPassword({
      ...attemptKey,
      digest: computeDigest(cookie),
      checkedDigest: passwordDigest
    })
    return isConfirmed
      ? { accountId: session.accountId, cookie, passwordDigest, source }
      : yield* Effect.fail(wrongPassword)
  })

/** PostgreSQL cannot store U+0000 or lone surrogates. */
const isStorableEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH && !text.includes("\u0000") && text.isWellFormed()

const makePasswordCheck = (limiter: HashingLimiter["Service"], countAttempt: ReturnType<typeof makeFailureCounter>) => {
  const verifyUnlessDelayed = Effect.fnUntraced(function* (
    attemptKey: SignInAttemptKey,
    password: string,
    passwordHash: string | undefined
  ) {
    const seconds = yield* countAttempt(attemptKey)
    if (seconds !== undefined) return yield* Effect.fail<SignInFailure>({ _tag: "MustWait", seconds })
    const isTooLong = password.length > 2 * PASSWORD_MAX
    return yield* verifyPassword(isTooLong ? "" : password, isTooLong ? undefined : passwordHash)
  })
  return (attemptKey: SignInAttemptKey, password: string, passwordHash: string | undefined, source: HashingSource) =>
    hashReleasingPermit(limiter, source, verifyUnlessDelayed(attemptKey, password, passwordHash))
}
