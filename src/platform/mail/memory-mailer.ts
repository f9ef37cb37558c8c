import { Context, Effect, Layer, Ref } from "effect"
import { type Mail, Mailer, type MailFailure, MailRejected } from "./Mailer.ts"
import { isSingleAddress, toHeaderText } from "./mail-header.ts"

/** The mails of {@link layerMemoryMailer}. */
export class SentMails extends Context.Service<
  SentMails,
  {
    /** In the order in which they were sent. */
    readonly list: Effect.Effect<ReadonlyArray<Mail>>
    /** The next mails fail with these errors, one each. */
    readonly failNext: (...failures: ReadonlyArray<MailFailure>) => Effect.Effect<void>
  }
>()("latchkey/platform/mail/SentMails") {}

/** Keeps the mails in memory, for tests. */
export const layerMemoryMailer = Layer.effectContext(
  Effect.gen(function* () {
    const mails = yield* Ref.make<ReadonlyArray<Mail>>([])
    const nextFailures = yield* Ref.make<ReadonlyArray<MailFailure>>([])
    const send = Effect.fnUntraced(function* (mail: Mail) {
      if (!isSingleAddress(mail.to)) return yield* new MailRejected({ reason: "the address is not a single address" })
      const failure = yield* Ref.modify(nextFailures, ([first, ...rest]) => [first, rest])
      if (failure !== undefined) return yield* Effect.fail(failure)
      yield* Ref.update(mails, (sent) => [...sent, { ...mail, subject: toHeaderText(mail.subject) }])
    })
    return Context.empty().pipe(
      Context.add(Mailer, { send }),
      Context.add(SentMails, {
        list: Ref.get(mails),
        failNext: (...failures) => Ref.update(nextFailures, (queued) => [...queued, ...failures])
      })
    )
  })
)
