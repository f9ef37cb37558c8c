import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { digestOf } from "../../../admission/gate/credentials.ts"
import { onRecord } from "../../../changes/on-record.ts"
import type { Acting } from "../../../contract/acting.ts"
import { decoderOf } from "../../../contract/decode.ts"
import { type BadRequest, Conflict, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { lockedFirst } from "../../../platform/database/locked-first.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { hashPassword } from "../operators/password.ts"
import { accountNameRefused, isAccountName } from "../operators/password-rules.ts"
import { NewPassword } from "../operators/rules.ts"
import { changingPassword } from "../operators/store.ts"
import { type Busy, Hashing, hashedAway } from "./Hashing.ts"
import type { Confirmed } from "./Sessions.ts"
import { passwordDigest } from "./session-store.ts"

const readPassword = decoderOf(NewPassword)
const Changed = Schema.Struct({ account_id: Schema.Int, sessions_ended: Schema.Int })
export type Changed = typeof Changed.Type

const readChanged = rowOf(Changed)
const readNames = rowOf(Schema.Struct({ email: Schema.String, name: Schema.String }))

/** What a person gives who changes their own. */
export interface OwnPassword {
  readonly password: string
  /** What tells the browser that somebody has signed in there before. */
  readonly known?: string | undefined
}

/** What the change leaves as it is, and on what it depends. */
interface Changing {
  readonly accountId: number
  readonly passwordHash: string
  /** Digests of the session that goes on and of the browser that stays known; of nothing: none does. */
  readonly session: Uint8Array
  readonly browser: Uint8Array
  /** What must be so, of `accounts a`. */
  readonly only: Fragment
}

/**
 * The passwords of accounts. A session knows the password it was made with and is none once there is another (session-store.ts);
 * the rows are removed all the same, and which session goes on is said. Browsers that were known are strangers again: one of them
 * may be why there is another password.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Another password, whatever it was; all sessions of the account end. */
    readonly change: (input: NewPassword) => Effect.Effect<Changed, BadRequest | ValidationFailed | NotFound, Acting>
    /** By who knows it: another than the one that was confirmed, if it is still that; all sessions end but that one. */
    readonly changeOwn: (
      confirmed: Confirmed,
      own: OwnPassword
    ) => Effect.Effect<Changed, BadRequest | ValidationFailed | Conflict | Busy, Acting>
  }
>()("latchkey/console/Passwords") {
  static readonly layerNoDeps = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const [sql, hashing] = [yield* SqlClient.SqlClient, yield* Hashing]
      const changed = changing(sql)
      /** Reads the new password of an account and checks it against the rules. */
      const readNewPassword = Effect.fnUntraced(function* (input: NewPassword) {
        const read = yield* readPassword(input)
        const names = yield* readNames(sql`SELECT email, name FROM accounts WHERE id = ${read.account_id}`)
        return names !== undefined && isAccountName(read.password, names) ? yield* accountNameRefused : read
      })

      return Passwords.of({
        // A command has its process to itself: there is nobody to wait behind.
        change: Effect.fn("Passwords.change")(function* (input: NewPassword) {
          const { account_id: accountId, password } = yield* readNewPassword(input)
          const passwordHash = yield* hashPassword(password)
          const none = digestOf("")
          const row = yield* changed({ accountId, passwordHash, session: none, browser: none, only: sql`true` })
          return row ?? (yield* new NotFound({ message: `There is no account ${accountId}.` }))
        }),

        changeOwn: Effect.fn("Passwords.changeOwn")(function* (confirmed: Confirmed, own: OwnPassword) {
          const { account_id: accountId, password } = yield* readNewPassword({
            account_id: confirmed.accountId,
            password: own.password
          })
          const passwordHash = yield* hashedAway(hashing, confirmed.from, hashPassword(password))
          const session = digestOf(confirmed.cookie)
          const only = isStill(sql, session, confirmed)
          const row = yield* changed({ accountId, passwordHash, session, browser: digestOf(own.known ?? ""), only })
          return (
            row ??
            (yield* new Conflict({ message: "The password has changed in the meantime, or you are signed out." }))
          )
        })
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, Hashing.layer)
}

/** Whether the account has the password that was looked at, and is signed in where it was. */
const isStill = (
  sql: SqlClient.SqlClient,
  session: Uint8Array,
  { passwordDigest: lookedAt }: Confirmed
): Fragment => sql`
  ${passwordDigest(sql, "a")} = ${lookedAt} AND EXISTS (
    SELECT FROM console_sessions s
    WHERE s.digest = ${session} AND s.operator_id = a.operator_id AND s.account_id = a.id)`

/** The account is locked first: what somebody signs in with meanwhile is seen, and ends. */
const changing = (sql: SqlClient.SqlClient) => (given: Changing) =>
  lockedFirst(sql)(
    sql`SELECT FROM accounts WHERE id = ${given.accountId} FOR NO KEY UPDATE`,
    readChanged(
      onRecord(sql, {
        change: sql`
          ${changingPassword(sql, given, given.only)},
          kept AS (
            UPDATE console_sessions s SET password_digest = ${passwordDigest(sql, "account")} FROM account
            WHERE s.operator_id = account.operator_id AND s.account_id = account.id AND s.digest = ${given.session}
          ), ended AS (
            DELETE FROM console_sessions s USING account
            WHERE s.operator_id = account.operator_id AND s.account_id = account.id AND s.digest <> ${given.session}
            RETURNING 1
          ), forgotten_browsers AS (
            DELETE FROM known_browsers b USING account
            WHERE b.operator_id = account.operator_id AND b.account_id = account.id AND b.digest <> ${given.browser}
          )`,
        events: [],
        touched: sql`SELECT operator_id, 'account:' || id AS record, '{password}'::text[] AS fields FROM account`,
        outcome: sql`SELECT id AS account_id, (SELECT count(*) FROM ended) AS sessions_ended FROM account`
      })
    )
  )
