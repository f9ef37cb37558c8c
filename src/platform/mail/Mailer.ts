import { Context, Data, Effect, Layer } from "effect"

/** A mail of plain text to one address. */
export interface Mail {
  /** One address. It may not be a list or contain a name. */
  readonly to: string
  /** One line. Control characters become spaces. */
  readonly subject: string
  readonly text: string
  /** The local part of the Message-ID. A retry sends the same one, so that mail programs recognize a repetition. */
  readonly messageKey: string
}

/** The mail server refused the mail for good, or the address is invalid. The mail was not delivered. */
export class MailRejected extends Data.TaggedError("MailRejected")<{
  /** Contains no address and no secret. */
  readonly reason: string
}> {}

/** The mail server was not reached or refused for now. The mail was certainly not delivered, so a retry is safe. */
export class MailDeferred extends Data.TaggedError("MailDeferred")<{ readonly reason: string }> {}

/** The connection ended before the mail server confirmed. The mail may have been delivered. */
export class MailUnconfirmed extends Data.TaggedError("MailUnconfirmed")<{ readonly reason: string }> {}

export type MailFailure = MailRejected | MailDeferred | MailUnconfirmed

export class Mailer extends Context.Service<
  Mailer,
  {
    /** Takes at most {@link SEND_TIMEOUT_MS}. */
    readonly send: (mail: Mail) => Effect.Effect<void, MailFailure>
  }
>()("latchkey/platform/mail/Mailer") {}

/** Longest time of an attempt. A job that sends needs a longer lease. */
export const SEND_TIMEOUT_MS = 45_000

/** Whether the installation sends mail. */
export const MailEnabled = Context.Reference<boolean>("latchkey/platform/mail/MailEnabled", {
  defaultValue: () => false
})

/** Without a mail server. No worker runs then, so nothing calls it. */
export const layerNoMailer = Layer.succeed(Mailer, {
  send: () => Effect.fail(new MailRejected({ reason: "no mail server is set" }))
})
