import { Effect, Layer, Predicate, Redacted } from "effect"
import type { TransportOptions } from "nodemailer"
import type SMTPPool from "nodemailer/lib/smtp-pool"
import { SMTP_CONNECTIONS_MAX } from "../limits.ts"
import {
  type Mail,
  MailDeferred,
  Mailer,
  type MailFailure,
  MailRejected,
  MailUnconfirmed,
  SEND_TIMEOUT_MS
} from "./Mailer.ts"
import { isSingleAddress, type MailSender, toHeaderText } from "./mail-header.ts"
import type { SmtpServer } from "./smtp-url.ts"

const CONNECT_TIMEOUT_MS = 10_000
const SILENCE_TIMEOUT_MS = 20_000
/** A connection is closed after this number of mails. */
const MAILS_OF_CONNECTION = 100

export interface MailSettings {
  readonly server: Redacted.Redacted<SmtpServer>
  readonly sender: MailSender
}

const toConnectionOptions = ({ host, port, isTls, requiresTls, credentials }: SmtpServer) => ({
  host,
  port,
  secure: isTls,
  requireTLS: requiresTls,
  ...(credentials === undefined ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SILENCE_TIMEOUT_MS,
  // The text of a mail must never make the library read a file or fetch a URL.
  disableFileAccess: true,
  disableUrlAccess: true
})

const toPoolOptions = (server: SmtpServer): SMTPPool.Options & TransportOptions => ({
  ...toConnectionOptions(server),
  pool: true,
  maxConnections: SMTP_CONNECTIONS_MAX,
  maxMessages: MAILS_OF_CONNECTION
})

// Imported on demand, because an installation without mail never needs it.
const importLibrary = Effect.promise(() => import("nodemailer"))

interface SmtpErrorFacts {
  readonly code: string
  readonly responseCode: number | undefined
  readonly timeoutType: string | undefined
}

const readText = (error: unknown, name: string): string | undefined =>
  Predicate.hasProperty(error, name) && typeof error[name] === "string" ? error[name] : undefined

const toErrorFacts = (error: unknown): SmtpErrorFacts => ({
  code: readText(error, "originalCode") ?? readText(error, "code") ?? "unknown error",
  responseCode:
    Predicate.hasProperty(error, "responseCode") && typeof error.responseCode === "number"
      ? error.responseCode
      : undefined,
  timeoutType: readText(error, "timeoutType")
})

/** Errors before the first command of a mail, so the mail was certainly not delivered. */
const CONNECT_ERRORS: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EDNS",
  "EAUTH",
  "CONNECT_TIMEOUT",
  "GREETING_TIMEOUT",
  "UPGRADE_TIMEOUT",
  // A certificate that the service does not trust.
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/**
 * After a refusal by the server, or an error before the first command, the mail was certainly not delivered. After
 * every other error, the server may have accepted it. The mail is deferred if the server rejects the sign-in or does
 * not offer TLS, because the administrator can correct both.
 */
export const toMailFailure = (error: unknown): MailFailure => {
  const { code, responseCode, timeoutType } = toErrorFacts(error)
  const reason = responseCode === undefined ? (timeoutType ?? code) : `the mail server answered ${responseCode}`
  if (code === "EAUTH") return new MailDeferred({ reason: `the mail server rejects the sign-in (${reason})` })
  if (code === "ETLS") return new MailDeferred({ reason: `the mail server does not encrypt (${reason})` })
  if (responseCode !== undefined)
    return responseCode >= 500 ? new MailRejected({ reason }) : new MailDeferred({ reason })
  if (CONNECT_ERRORS.has(code) || (timeoutType !== undefined && CONNECT_ERRORS.has(timeoutType)))
    return new MailDeferred({ reason })
  return code === "EENVELOPE" ? new MailRejected({ reason }) : new MailUnconfirmed({ reason })
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

const toMessage = ({ to, subject, text, messageKey }: Mail, { name, address }: MailSender) => ({
  from: { name, address },
  to: { name: "", address: to },
  envelope: { from: address, to },
  subject: toHeaderText(subject),
  text,
  messageId: `<${messageKey}@${domainOf(address)}>`,
  headers: { "Auto-Submitted": "auto-generated" },
  disableFileAccess: true,
  disableUrlAccess: true
})

/** Sends over a pool of at most SMTP_CONNECTIONS_MAX connections. The first mail opens the first one. */
export const layerSmtpMailer = ({ server, sender }: MailSettings) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const { createTransport } = yield* importLibrary
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() => createTransport(toPoolOptions(Redacted.value(server)))),
        (pool) => Effect.sync(() => pool.close())
      )
      const send = (mail: Mail) =>
        Effect.tryPromise({ try: () => transport.sendMail(toMessage(mail, sender)), catch: toMailFailure }).pipe(
          Effect.timeoutOrElse({
            duration: SEND_TIMEOUT_MS,
            orElse: () => Effect.fail(new MailUnconfirmed({ reason: "the mail server takes too long" }))
          }),
          Effect.asVoid
        )
      return Mailer.of({
        send: (mail) =>
          isSingleAddress(mail.to) ? send(mail) : new MailRejected({ reason: "the address is not a single address" })
      })
    })
  )

/** Connects and signs in, and sends nothing. */
export const verifySmtpServer = (server: Redacted.Redacted<SmtpServer>): Effect.Effect<void, MailFailure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { createTransport } = yield* importLibrary
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() => createTransport(toConnectionOptions(Redacted.value(server)))),
        (connection) => Effect.sync(() => connection.close())
      )
      yield* Effect.tryPromise({ try: () => transport.verify(), catch: toMailFailure })
    })
  )
