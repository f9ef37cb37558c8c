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

const who = {
  operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id whose guest it is")),
  order: Flag.String("order").pipe(
    Flag.withDescription("A reservation_code, the channel's own id of an order, or a conversation_id"),
    Flag.optional
  ),
  email: Flag.String("email").pipe(Flag.withDescription("The guest's e-mail address"), Flag.optional),
  phone: Flag.String("phone").pipe(
    Flag.withDescription("The guest's phone number; only its digits count"),
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
    return yield* new BadRequest({ message: "Say one of --order, --email and --phone." })
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
    return yield* new NotFound({ message: `Operator ${said.operatorId} has nothing of such a guest.` })
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
  `${plural(images, "image")}${images_missing === 0 ? "" : ` (${images_missing} more whose bytes are gone)`}`

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
    file: Argument.String("file").pipe(Argument.withDescription("New file it is written to, a JSON object a line"))
  },
  ({ file, ...said }) =>
    answer(
      "guest export",
      withImages(exported(said, file)),
      (result) => `${result.file}: ${result.records} records and ${imagesIn(result)} of ${inWords(result)}.`
    )
).pipe(Command.withDescription("Write everything about a guest into a file"))

const erased = Effect.fnUntraced(function* (said: Who, evenCurrent: boolean) {
  const all = yield* found(said)
  const current = all.flatMap((each) => each.current)
  if (current.length > 0 && !evenCurrent) {
    return yield* new Conflict({
      message: `Not over yet: ${current.join(", ")}. The host would not know who comes: say --even-current to erase this guest all the same.`
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
      Flag.withDescription("Also where a stay is not over"),
      Flag.withDefault(false)
    )
  },
  ({ evenCurrent, ...said }) =>
    answer(
      "guest erase",
      erased(said, evenCurrent),
      (result) => `Nothing of the guest is left in ${inWords(result)} but nights, money and codes.`
    )
).pipe(Command.withDescription("Leave nothing of a guest but nights, money and codes"))

export const guest = Command.make("guest").pipe(
  Command.withDescription("Hand out what is known of a guest, or forget it"),
  Command.withSubcommands([exporting, erasing])
)
