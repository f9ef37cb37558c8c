import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WakeUp } from "../../../../jobs/WakeUp.ts"
import { EMAIL_LENGTH } from "../../../../platform/limits.ts"
import { type LinkOwner, makeFindLinkOwner } from "./link-owner.ts"
import type { LinkPurpose } from "./link-purposes.ts"
import { requestLinkSql } from "./link-statements.ts"

/** PostgreSQL cannot store U+0000 or lone surrogates. */
const isStorableEmail = (text: string): boolean =>
  text !== "" && text.length <= EMAIL_LENGTH && !text.includes("\u0000") && text.isWellFormed()

export class MailedLinks extends Context.Service<
  MailedLinks,
  {
    /**
     * Queues a mail with a link to choose a new password. Neither the result nor its time reveals whether an account
     * has the address. Beyond RESET_MAILS_PER_LINK_LIFETIME, it sends no mail. Links of earlier mails keep working.
     */
    readonly requestReset: (email: string) => Effect.Effect<void>
    /** Returns undefined if the link was used, has expired, or was never mailed. */
    readonly findOwner: (purpose: LinkPurpose, token: string) => Effect.Effect<LinkOwner | undefined>
  }
>()("latchkey/domain/access/sign-in/mailed-links/MailedLinks") {
  static readonly layer = Layer.effect(
    MailedLinks,
    Effect.gen(function* () {
      const [sql, { wake }] = [yield* SqlClient.SqlClient, yield* WakeUp]
      const requestReset = Effect.fnUntraced(function* (email: string) {
        if (!isStorableEmail(email)) return
        const now = yield* DateTime.nowAsDate
        const accounts = sql`lower(a.email) = lower(${email})`
        yield* Effect.orDie(sql`
          WITH ${requestLinkSql(sql, { purpose: "reset_password", email: sql`${email}::text`, accounts, now })}
          SELECT count(*) FROM link`)
        yield* wake
      })
      return MailedLinks.of({ requestReset, findOwner: makeFindLinkOwner(sql) })
    })
  )
}
