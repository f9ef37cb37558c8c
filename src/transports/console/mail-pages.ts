import { Effect } from "effect"
import { MailEnabled } from "../../platform/mail/Mailer.ts"
import { makeResetPage } from "./reset-page.ts"
import { makeVerificationPage } from "./verification-page.ts"

/** The pages that mailed links open. Without a mail server, there are none. */
export const makeMailPages = Effect.gen(function* () {
  return (yield* MailEnabled) ? [yield* makeResetPage, yield* makeVerificationPage] : []
})
