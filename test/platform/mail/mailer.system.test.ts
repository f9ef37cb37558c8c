import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { type Mail, MailDeferred, Mailer, MailRejected, MailUnconfirmed } from "../../../src/platform/mail/Mailer.ts"
import { layerMemoryMailer, SentMails } from "../../../src/platform/mail/memory-mailer.ts"
import { layerSmtpMailer, verifySmtpServer } from "../../../src/platform/mail/smtp-mailer.ts"
import { parseSmtpUrl, type SmtpServer } from "../../../src/platform/mail/smtp-url.ts"
import { decodeMailText, makeLoopbackSmtpServer } from "../../support/platform/mail/loopback-smtp-server.ts"

// One suite on both layers of the port. The mail server of the SMTP layer is on this machine.

/** A mail as its recipient sees it. */
interface ArrivedMail {
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

type NextFailure = "rejected" | "deferred" | "unconfirmed"

class MailProbe extends Context.Service<
  MailProbe,
  {
    readonly arrived: Effect.Effect<ReadonlyArray<ArrivedMail>>
    readonly failNext: (failure: NextFailure) => Effect.Effect<void>
  }
>()("latchkey/test/MailProbe") {}

const MEMORY_FAILURES = {
  rejected: new MailRejected({ reason: "test" }),
  deferred: new MailDeferred({ reason: "test" }),
  unconfirmed: new MailUnconfirmed({ reason: "test" })
}

const layerMemoryProbe = Layer.effect(
  MailProbe,
  Effect.map(SentMails, ({ list, failNext }) => ({
    arrived: Effect.map(list, (mails) => mails.map(({ to, subject, text }) => ({ to: [to], subject, text }))),
    failNext: (failure) => failNext(MEMORY_FAILURES[failure])
  }))
).pipe(Layer.provideMerge(layerMemoryMailer))

const SENDER = { name: "Latchkey", address: "no-reply@example.test" }

const toServer = (url: string): Redacted.Redacted<SmtpServer> => {
  const server = parseSmtpUrl(url)
  assert.isDefined(server)
  return Redacted.make(server)
}

/** The value of a header, with its continued lines. */
const readHeader = (source: string, name: string): string =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, "im").exec(source)?.[1]?.replace(/\r\n[ \t]/g, " ") ?? ""

const decodeQuotedPrintable = (text: string): string =>
  decodeURIComponent(
    text
      .replace(/=\r\n/g, "")
      .replace(/%/g, "%25")
      .replace(/=([0-9A-F]{2})/g, "%$1")
  )

const decodeSubject = (text: string): string =>
  text
    .replace(/\?= =\?/g, "?==?")
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_all, word: string) => decodeQuotedPrintable(word.replace(/_/g, " ")))

const FAULTS = {
  rejected: { code: 550, at: "recipient" },
  deferred: { code: 451, at: "text" },
  unconfirmed: "close after the text"
} as const

const layerSmtpProbe = Layer.unwrap(
  Effect.map(makeLoopbackSmtpServer, (server) =>
    Layer.merge(
      layerSmtpMailer({ server: toServer(server.url), sender: SENDER }),
      Layer.succeed(MailProbe, {
        arrived: Effect.sync(() =>
          server.mails.map(({ to, source }) => ({
            to,
            subject: decodeSubject(readHeader(source, "Subject")),
            text: decodeMailText(source)
          }))
        ),
        failNext: (failure) => Effect.sync(() => void server.failNext(FAULTS[failure]))
      })
    )
  )
)

const MAIL: Mail = {
  to: "host@example.test",
  subject: "New booking: Lisboa, Praça",
  text: "New booking · João\nhttps://example.test/console/stay?code=5-ABC\n",
  messageKey: "notification-1-2-3"
}

const runSuite = (name: string, layerProbe: Layer.Layer<Mailer | MailProbe>) =>
  describe(name, () => {
    const withProbe = Effect.provide(layerProbe)

    it.live("delivers a mail once, with its subject and text", () =>
      withProbe(
        Effect.gen(function* () {
          const [mailer, probe] = [yield* Mailer, yield* MailProbe]
          yield* mailer.send(MAIL)
          assert.deepStrictEqual(yield* probe.arrived, [{ to: [MAIL.to], subject: MAIL.subject, text: MAIL.text }])
        })
      )
    )

    it.live("puts a subject with line breaks on one line, so that it adds no header and no recipient", () =>
      withProbe(
        Effect.gen(function* () {
          const [mailer, probe] = [yield* Mailer, yield* MailProbe]
          yield* mailer.send({ ...MAIL, subject: "Jonas\r\nBcc: thief@example.test\r\n\r\nText\u2028" })
          const [mail] = yield* probe.arrived
          assert.deepStrictEqual(mail?.to, [MAIL.to])
          assert.strictEqual(mail?.subject, "Jonas Bcc: thief@example.test Text")
        })
      )
    )

    it.live("rejects everything but a single address", () =>
      withProbe(
        Effect.gen(function* () {
          const [mailer, probe] = [yield* Mailer, yield* MailProbe]
          const addresses = [
            "a@example.test, b@example.test",
            "a@example.test\r\nBcc: b@example.test",
            "Name <a@example.test>",
            "group: a@example.test;",
            "a@example.test b@example.test",
            ""
          ]
          for (const to of addresses) {
            const failure = yield* Effect.flip(mailer.send({ ...MAIL, to }))
            assert.strictEqual(failure._tag, "MailRejected", to)
          }
          assert.lengthOf(yield* probe.arrived, 0)
        })
      )
    )

    it.live("tells whether a failed mail may be sent again", () =>
      withProbe(
        Effect.gen(function* () {
          const [mailer, probe] = [yield* Mailer, yield* MailProbe]
          const tags = { rejected: "MailRejected", deferred: "MailDeferred", unconfirmed: "MailUnconfirmed" } as const
          for (const failure of ["rejected", "deferred", "unconfirmed"] as const) {
            yield* probe.failNext(failure)
            const error = yield* Effect.flip(mailer.send(MAIL))
            assert.strictEqual(error._tag, tags[failure], error.reason)
            assert.notInclude(error.reason, "@")
          }
          yield* mailer.send(MAIL)
          assert.strictEqual((yield* probe.arrived).at(-1)?.subject, MAIL.subject)
        })
      )
    )
  })

runSuite("a mailer in memory", layerMemoryProbe)
runSuite("a mailer over SMTP", layerSmtpProbe)

describe("a mailer over SMTP", () => {
  it.live("marks mails as automatic, and sends a repeated mail with the same Message-ID", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* makeLoopbackSmtpServer
        const send = Mailer.use((mailer) => Effect.andThen(mailer.send(MAIL), mailer.send(MAIL)))
        yield* Effect.provide(send, layerSmtpMailer({ server: toServer(server.url), sender: SENDER }))
        const [first, second] = server.mails.map(({ source }) => source)
        assert.strictEqual(readHeader(first ?? "", "Message-ID"), "<notification-1-2-3@example.test>")
        assert.strictEqual(readHeader(second ?? "", "Message-ID"), readHeader(first ?? "", "Message-ID"))
        assert.strictEqual(readHeader(first ?? "", "Auto-Submitted"), "auto-generated")
        assert.strictEqual(readHeader(first ?? "", "From"), "Latchkey <no-reply@example.test>")
        assert.strictEqual(server.mails[0]?.from, "no-reply@example.test")
      })
    )
  )

  it.live("sends nothing without encryption if the address of the server requires it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const loopback = yield* makeLoopbackSmtpServer
        const server = Redacted.make({ ...Redacted.value(toServer(loopback.url)), requiresTls: true })
        const send = Effect.flip(Mailer.use((mailer) => mailer.send(MAIL)))
        const error = yield* Effect.provide(send, layerSmtpMailer({ server, sender: SENDER }))
        assert.strictEqual(error._tag, "MailDeferred", error.reason)
        assert.include(error.reason, "does not encrypt")
        assert.lengthOf(loopback.mails, 0)
        assert.strictEqual((yield* Effect.flip(verifySmtpServer(server)))._tag, "MailDeferred")
      })
    )
  )

  it.live("defers mails while nobody listens or the password is wrong, and the check of the doctor fails then", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* makeLoopbackSmtpServer
        const urls = [server.url.replace("latchkey:", "other:"), "smtp://127.0.0.1:1"]
        for (const url of urls) {
          const target = toServer(url)
          const send = Effect.flip(Mailer.use((mailer) => mailer.send(MAIL)))
          const error = yield* Effect.provide(send, layerSmtpMailer({ server: target, sender: SENDER }))
          assert.strictEqual(error._tag, "MailDeferred", error.reason)
          assert.strictEqual((yield* Effect.flip(verifySmtpServer(target)))._tag, "MailDeferred")
        }
        yield* verifySmtpServer(toServer(server.url))
      })
    )
  )
})
