import { EventEmitter, once } from "node:events"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"

/** A mail as a mail server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Headers and body. */
  readonly source: string
}

/** What the server does with the next mails, one each: it answers with a code, or closes the connection after the text. */
export type ServerFault = { readonly code: number; readonly at: "recipient" | "text" } | "close after the text"

const smtpError = (code: number) => Object.assign(new Error("refused by the test"), { responseCode: code })

/** A mail server on this machine that requires a password. */
export const makeLoopbackSmtpServer = Effect.gen(function* () {
  const mails: Array<ReceivedMail> = []
  const faults: Array<ServerFault> = []
  const arrivals = new EventEmitter()
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username = "", password = "" }, _session, done) =>
      username === "latchkey" && password === "p@ss word" ? done(null, { user: username }) : done(smtpError(535)),
    onRcptTo: (_address, _session, done) => {
      const [fault] = faults
      if (typeof fault !== "object" || fault.at !== "recipient") return done()
      faults.shift()
      return done(smtpError(fault.code))
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const fault = faults.shift()
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
        const source = Buffer.concat(chunks).toString("utf8")
        const mail = { from, to: envelope.rcptTo.map(({ address }) => address), source }
        if (typeof fault === "object") return done(smtpError(fault.code))
        mails.push(mail)
        arrivals.emit("mail")
        if (fault === undefined) return done()
        for (const connection of server.connections) Reflect.get(connection, "_socket").destroy()
      })
    }
  })
  server.on("error", () => {})
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
  )
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    url: `smtp://latchkey:p%40ss%20word@127.0.0.1:${port}`,
    mails,
    /** Waits until this number of mails has arrived, and returns the last of them. */
    awaitMail: (count: number) =>
      Effect.promise(async () => {
        while (mails.length < count) await once(arrivals, "mail")
        return mails[count - 1]?.source ?? ""
      }),
    failNext: (...next: ReadonlyArray<ServerFault>) => faults.push(...next)
  }
})

/** The text of a quoted-printable or plain body. */
export const decodeMailText = (source: string): string => {
  const body = source.slice(source.indexOf("\r\n\r\n") + 4)
  const text = /^Content-Transfer-Encoding: quoted-printable/im.test(source)
    ? decodeURIComponent(
        body
          .replace(/=\r\n/g, "")
          .replace(/%/g, "%25")
          .replace(/=([0-9A-F]{2})/g, "%$1")
      )
    : body
  return text.replace(/\r\n/g, "\n")
}
