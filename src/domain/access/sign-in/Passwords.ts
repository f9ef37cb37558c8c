import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import { recordChange } from "../../../changes/recorded-change.ts"
import { CurrentActor } from "../../../contract/actor.ts"
import { networkOf } from "../../../contract/caller-address.ts"
import { makeDecoder } from "../../../contract/decoder.ts"
import { type BadRequest, Conflict, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { type OperatorAccountKey, subAccountCondition } from "../operators/account-sql.ts"
import { updatePasswordSql } from "../operators/OperatorStore.ts"
import { NewPassword } from "../operators/operator-schemas.ts"
import { hashPassword } from "../operators/password.ts"
import { accountNameError, isAccountName } from "../operators/password-rules.ts"
import { type HashingBusy, HashingLimiter, hashReleasingPermit, operatorHashingSource } from "./HashingLimiter.ts"
import { makeFindLinkOwner } from "./mailed-links/link-owner.ts"
import { deleteLinksSql, validLinkSql } from "./mailed-links/link-statements.ts"
import type { PasswordConfirmation } from "./Sessions.ts"
import { passwordDigestSql } from "./session-store.ts"

const readPassword = makeDecoder(NewPassword)
const PasswordChangeResult = Schema.Struct({ account_id: Schema.Int, sessions_ended: Schema.Int })
export type PasswordChangeResult = typeof PasswordChangeResult.Type

const readChangeResult = makeOptionalRowReader(PasswordChangeResult)
const readAccountNames = makeOptionalRowReader(Schema.Struct({ email: Schema.String, name: Schema.String }))

export interface OwnPasswordInput {
  readonly password: string
  readonly knownBrowserCookie?: string | undefined
}

interface PasswordUpdate {
  readonly accountId: number
  readonly passwordHash: string
  /** Digests of the session and the browser that the update keeps. */
  readonly sessionDigest: Uint8Array
  readonly browserDigest: Uint8Array
  /** A condition on `accounts a`. */
  readonly condition: Fragment
}

/**
 * A password change ends other sessions and all links to reset the password. It also forgets other known browsers,
 * because one of them may be compromised.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Needs no old password. Ends all sessions. */
    readonly change: (
      input: NewPassword
    ) => Effect.Effect<PasswordChangeResult, BadRequest | ValidationFailed | NotFound, CurrentActor>
    /** Ends all sessions. Returns undefined if there is no such sub-account. */
    readonly changeOfSubAccount: (
      account: OperatorAccountKey,
      password: string
    ) => Effect.Effect<PasswordChangeResult | undefined, BadRequest | ValidationFailed | HashingBusy, CurrentActor>
    /**
     * Changes the password of the account to which a link was mailed, and ends all its sessions. Fails with NotFound if
     * the link was used or has expired.
     */
    readonly changeByLink: (
      token: string,
      input: { readonly password: string; readonly address: string }
    ) => Effect.Effect<PasswordChangeResult, BadRequest | ValidationFailed | NotFound | HashingBusy, CurrentActor>
    /** Ends all other sessions. Fails with Conflict if the confirmed password has changed. */
    readonly changeOwn: (
      confirmation: PasswordConfirmation,
      input: OwnPasswordInput
    ) => Effect.Effect<PasswordChangeResult, BadRequest | ValidationFailed | Conflict | HashingBusy, CurrentActor>
  }
>()("latchkey/domain/access/sign-in/Passwords") {
  static readonly layerNoDeps = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const [sql, hashingLimiter] = [yield* SqlClient.SqlClient, yield* HashingLimiter]
      const updatePassword = makeUpdatePassword(sql)
      const findNames = (condition: Fragment) =>
        readAccountNames(sql`SELECT a.email, a.name FROM accounts a WHERE ${condition}`)
      const readNewPassword = Effect.fnUntraced(function* (input: NewPassword) {
        const newPassword = yield* readPassword(input)
        const names = yield* findNames(sql`a.id = ${newPassword.account_id}`)
        return names !== undefined && isAccountName(newPassword.password, names) ? yield* accountNameError : newPassword
      })

      return Passwords.of({
        // The command line calls this in its own process, so no hashing permit is needed.
        change: Effect.fn("Passwords.change")(function* (input: NewPassword) {
          const { account_id: accountId, password } = yield* readNewPassword(input)
          const passwordHash = yield* hashPassword(password)
          const row = yield* updatePassword({ accountId, passwordHash, ...NOTHING_KEPT, condition: sql`true` })
          return row ?? (yield* new NotFound({ message: `There is no account ${accountId}.` }))
        }),

        changeOfSubAccount: Effect.fnUntraced(function* (account: OperatorAccountKey, text: string) {
          const { operatorId, accountId } = account
          const { password } = yield* readPassword({ account_id: accountId, password: text })
          const condition = subAccountCondition(sql, account)
          const names = yield* findNames(condition)
          if (names === undefined) return undefined
          if (isAccountName(password, names)) return yield* accountNameError
          const source = operatorHashingSource(operatorId)
          const passwordHash = yield* hashReleasingPermit(hashingLimiter, source, hashPassword(password))
          return yield* updatePassword({ accountId, passwordHash, ...NOTHING_KEPT, condition })
        }),

        changeByLink: makeChangeByLink(sql, hashingLimiter, readNewPassword),

        changeOwn: Effect.fn("Passwords.changeOwn")(function* (
          confirmation: PasswordConfirmation,
          input: OwnPasswordInput
        ) {
          const { account_id: accountId, password } = yield* readNewPassword({
            account_id: confirmation.accountId,
            password: input.password
          })
          const passwordHash = yield* hashReleasingPermit(hashingLimiter, confirmation.source, hashPassword(password))
          const sessionDigest = computeDigest(confirmation.cookie)
          const condition = passwordUnchangedCondition(sql, sessionDigest, confirmation)
          const row = yield* updatePassword({
            accountId,
            passwordHash,
            sessionDigest,
            browserDigest: computeDigest(input.knownBrowserCookie ?? ""),
            condition
          })
          return (
            row ??
            (yield* new Conflict({ message: "The password has changed in the meantime, or you are signed out." }))
          )
        })
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, HashingLimiter.layer)
}

const makeChangeByLink = (
  sql: SqlClient.SqlClient,
  hashingLimiter: HashingLimiter["Service"],
  readNewPassword: (input: NewPassword) => Effect.Effect<NewPassword, BadRequest | ValidationFailed>
) => {
  const findLinkOwner = makeFindLinkOwner(sql)
  const updatePassword = makeUpdatePassword(sql)
  return Effect.fn("Passwords.changeByLink")(function* (
    token: string,
    { password: text, address }: { readonly password: string; readonly address: string }
  ) {
    const owner = yield* findLinkOwner("reset_password", token)
    if (owner === undefined) return yield* unusableLinkError
    const { account_id: accountId } = owner
    const { password } = yield* readNewPassword({ account_id: accountId, password: text })
    const source = { key: networkOf(address), isKnown: false }
    const passwordHash = yield* hashReleasingPermit(hashingLimiter, source, hashPassword(password))
    // The condition is checked under the lock of the account, so only one of two concurrent requests uses the link.
    const lookup = {
      purpose: "reset_password" as const,
      digest: computeDigest(token),
      now: yield* DateTime.nowAsDate
    }
    const condition = sql`EXISTS (
        SELECT FROM (${validLinkSql(sql, lookup)}) owner WHERE owner.account_id = a.id)`
    const changePassword = updatePassword({ accountId, passwordHash, ...NOTHING_KEPT, condition })
    const row = yield* Effect.updateService(changePassword, CurrentActor, (actor) => ({ ...actor, accountId }))
    return row ?? (yield* unusableLinkError)
  })
}

const unusableLinkError = new NotFound({ message: "token: the link was used, has expired, or is not complete." })

const NOTHING_KEPT = { sessionDigest: computeDigest(""), browserDigest: computeDigest("") }

const passwordUnchangedCondition = (
  sql: SqlClient.SqlClient,
  sessionDigest: Uint8Array,
  { passwordDigest: checkedDigest }: PasswordConfirmation
): Fragment => sql`
  ${passwordDigestSql(sql, "a")} = ${checkedDigest} AND EXISTS (
    SELECT FROM console_sessions s
    WHERE s.digest = ${sessionDigest} AND s.operator_id = a.operator_id AND s.account_id = a.id)`

/** The lock waits for concurrent sign-ins, so that the change also ends their sessions. */
const makeUpdatePassword = (sql: SqlClient.SqlClient) => (update: PasswordUpdate) =>
  changeUnderLock(sql)(
    sql`SELECT FROM accounts WHERE id = ${update.accountId} FOR NO KEY UPDATE`,
    readChangeResult(
      recordChange(sql, {
        change: sql`
          ${updatePasswordSql(sql, update, update.condition)},
          kept_session AS (
            UPDATE console_sessions s SET password_digest = ${passwordDigestSql(sql, "account")} FROM account
            WHERE s.operator_id = account.operator_id AND s.account_id = account.id AND s.digest = ${update.sessionDigest}
          ), ended AS (
            DELETE FROM console_sessions s USING account
            WHERE s.operator_id = account.operator_id AND s.account_id = account.id AND s.digest <> ${update.sessionDigest}
            RETURNING 1
          ), forgotten_browsers AS (
            DELETE FROM known_browsers b USING account
            WHERE b.operator_id = account.operator_id AND b.account_id = account.id AND b.digest <> ${update.browserDigest}
          ), owner AS (SELECT operator_id, id AS account_id FROM account),
          ended_links AS (${deleteLinksSql(sql, "reset_password", "owner")})`,
        events: [],
        changedRecords: sql`SELECT operator_id, 'account:' || id AS record, '{password}'::text[] AS fields FROM account`,
        outcome: sql`SELECT id AS account_id, (SELECT count(*) FROM ended) AS sessions_ended FROM account`
      })
    )
  )
