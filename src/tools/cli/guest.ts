import * as Fs from "node:fs/promises"
import { Data, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, Conflict, NotFound } from "../../contract/errors.ts"
import { ImageBytes } from "../../domain/guests/images/ImageBytes.ts"
import { Images } from "../../domain/guests/images/Images.ts"
import { Configuration } from "../../service/configuration.ts"
import { imageFolderOf } from "../backup/source.ts"
import { eraseGuests } from "../privacy/erasing.ts"
import { exportGuest } from "../privacy/exporting.ts"
import { type Found, findGuest, type Sought } from "../privacy/finding.ts"
import { answer } from "./answer.ts"

// What a guest may ask a host for: everything that is known of him, and that it be forgotten.

/** The file is there already, or cannot be written. */
class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

const ONE = "give exactly one of --order, --email and --phone"

const who = {
  operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id of the host")),
  order: Flag.String("order").pipe(
    Flag.withDescription(`reservation_code, channel_id of an order, or conversation_id; ${ONE}`),
    Flag.optional
  ),
  email: Flag.String("email").pipe(Flag.withDescription(`E-mail address of the guest; ${ONE}`), Flag.optional),
  phone: Flag.String("phone").pipe(
    Flag.withDescription(`Phone number of the guest, compared by its digits; ${ONE}`),
    Flag.optional
  )
}

interface Who {
  readonly operatorId: number
  readonly order: Option.Option<string>
  readonly email: Option.Option<string>
  readonly phone: Option.Option<string>
}

/** Digits that a phone number must have, so that it is one person's. */
const PHONE_DIGITS = 6

const soughtOf = Effect.fnUntraced(function* ({ order, email, phone }: Who) {
  const said: ReadonlyArray<Sought> = [
    ...Option.toArray(order).map((value) => ({ by: "order" as const, value })),
    ...Option.toArray(email).map((value) => ({ by: "email" as const, value: value.trim() })),
    ...Option.toArray(phone).map((value) => ({ by: "phone" as const, value }))
  ]
  const [sought, more] = said
  if (sought === undefined || more !== undefined) {
    return yield* new BadRequest({ message: `--order: ${ONE}.` })
  }
  if (sought.by === "phone" && sought.value.replace(/\D/g, "").length < PHONE_DIGITS) {
    return yield* new BadRequest({ message: `--phone: must have at least ${PHONE_DIGITS} digits.` })
  }
  if (sought.by !== "phone" && sought.value === "") {
    return yield* new BadRequest({ message: `--${sought.by}: must not be empty.` })
  }
  return sought
})

const found = Effect.fnUntraced(function* (said: Who) {
  const all = yield* findGuest(said.operatorId, yield* soughtOf(said), yield* DateTime.nowAsDate)
  if (all.length === 0) {
    return yield* new NotFound({ message: `Operator ${said.operatorId} has no data of this guest.` })
  }
  return all
})

const countsOf = (all: ReadonlyArray<Found>) => {
  const distinct = (of: (found: Found) => ReadonlyArray<number>) => new Set(all.flatMap(of)).size
  return {
    orders: distinct(({ party }) => party.orderIds),
    stays: distinct(({ party }) => party.stayIds),
    conversations: distinct(({ party }) => party.conversationIds)
  }
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const inWords = ({ orders, stays, conversations }: ReturnType<typeof countsOf>): string =>
  `${plural(orders, "order")} (${plural(stays, "stay")}) and ${plural(conversations, "conversation")}`

const imagesIn = ({ images, images_missing }: { readonly images: number; readonly images_missing: number }): string =>
  `${plural(images, "image")}${images_missing === 0 ? "" : ` (the files of ${images_missing} more are missing)`}`

/** Nobody's but the user's that makes it. */
const MODE = 0o600

const inFile = <A>(file: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new NotWritten({
        message: `FILE: ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

/** A new file for lines; what is not written to its end leaves none. */
const newFile = (file: string) =>
  Effect.acquireRelease(
    Effect.map(
      inFile(file, () => Fs.open(file, "wx", MODE)),
      (handle) => ({ handle, isWhole: false })
    ),
    ({ handle, isWhole }) =>
      Effect.promise(() => handle.close().then(() => (isWhole ? undefined : Fs.rm(file, { force: true }))))
  )

const exported = Effect.fnUntraced(function* (said: Who, file: string) {
  const all = yield* found(said)
  const opened = yield* newFile(file)
  const write = (line: object) => inFile(file, () => opened.handle.appendFile(`${JSON.stringify(line)}\n`))
  const told = yield* exportGuest(said.operatorId, all, { at: yield* DateTime.nowAsDate, write })
  yield* inFile(file, () => opened.handle.sync())
  opened.isWhole = true
  return { file, ...countsOf(all), ...told }
}, Effect.scoped)

/** The images of this installation, wherever it keeps them. */
const withImages = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, (settings) => {
    const folder = imageFolderOf(settings)
    const bytes = folder === undefined ? ImageBytes.layerDatabase : ImageBytes.layerFolder(folder)
    return work.pipe(Effect.provide(Images.layer()), Effect.provide(bytes))
  })

const exporting = Command.make(
  "export",
  {
    ...who,
    file: Argument.String("file").pipe(Argument.withDescription("New file to write, with one JSON object per line"))
  },
  ({ file, ...said }) =>
    answer(
      "guest export",
      withImages(exported(said, file)),
      (result) => `${result.file}: ${result.records} records and ${imagesIn(result)} of ${inWords(result)}.`
    )
).pipe(Command.withDescription("Export all data of a guest to a file"))

const erased = Effect.fnUntraced(function* (said: Who, evenCurrent: boolean) {
  const all = yield* found(said)
  const current = all.flatMap((each) => each.current)
  if (current.length > 0 && !evenCurrent) {
    return yield* new Conflict({
      message: `--even-current: is required to erase a guest whose stay is not over: ${current.join(", ")}.`
    })
  }
  yield* eraseGuests(all)
  return countsOf(all)
})

const erasing = Command.make(
  "erase",
  {
    ...who,
    evenCurrent: Flag.Boolean("even-current").pipe(
      Flag.withDescription("Erase the guest even if a stay is not over (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ evenCurrent, ...said }) =>
    answer(
      "guest erase",
      erased(said, evenCurrent),
      (result) => `Erased the guest from ${inWords(result)}; nights, money and codes remain.`
    )
).pipe(Command.withDescription("Erase all data of a guest except nights, money and codes"))

export const guest = Command.make("guest").pipe(
  Command.withDescription("Export or erase the data of a guest"),
  Command.withSubcommands([exporting, erasing])
)
