import * as Fs from "node:fs/promises"
import { Data, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, Conflict, NotFound } from "../../contract/errors.ts"
import { ImageBytes } from "../../domain/guests/images/ImageBytes.ts"
import { Images } from "../../domain/guests/images/Images.ts"
import { Configuration } from "../../service/configuration.ts"
import { findImageFolder } from "../backup/installation-database.ts"
import { eraseGuestMatches } from "../privacy/guest-erasure.ts"
import { exportGuest } from "../privacy/guest-export.ts"
import { findGuest, type GuestMatch, type GuestQuery } from "../privacy/guest-search.ts"
import { runCommand } from "./command-runner.ts"

class ExportNotWritten extends Data.TaggedError("ExportNotWritten")<{ readonly message: string }> {}

const ONE_IDENTIFIER = "give exactly one of --order, --email and --phone"

const guestFlags = {
  operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id of the host")),
  order: Flag.String("order").pipe(
    Flag.withDescription(`reservation_code, channel_id of an order, or conversation_id; ${ONE_IDENTIFIER}`),
    Flag.optional
  ),
  email: Flag.String("email").pipe(
    Flag.withDescription(`E-mail address of the guest; ${ONE_IDENTIFIER}`),
    Flag.optional
  ),
  phone: Flag.String("phone").pipe(
    Flag.withDescription(`Phone number of the guest, compared by its digits; ${ONE_IDENTIFIER}`),
    Flag.optional
  )
}

interface GuestOptions {
  readonly operatorId: number
  readonly order: Option.Option<string>
  readonly email: Option.Option<string>
  readonly phone: Option.Option<string>
}

/** Shorter numbers could match several guests. */
const PHONE_DIGITS_MIN = 6

const toGuestQuery = Effect.fnUntraced(function* ({ order, email, phone }: GuestOptions) {
  const queries: ReadonlyArray<GuestQuery> = [
    ...Option.toArray(order).map((value) => ({ by: "order" as const, value })),
    ...Option.toArray(email).map((value) => ({ by: "email" as const, value: value.trim() })),
    ...Option.toArray(phone).map((value) => ({ by: "phone" as const, value }))
  ]
  const [query, anotherQuery] = queries
  if (query === undefined || anotherQuery !== undefined) {
    return yield* new BadRequest({ message: `--order: ${ONE_IDENTIFIER}.` })
  }
  if (query.by === "phone" && query.value.replace(/\D/g, "").length < PHONE_DIGITS_MIN) {
    return yield* new BadRequest({ message: `--phone: must have at least ${PHONE_DIGITS_MIN} digits.` })
  }
  if (query.by !== "phone" && query.value === "") {
    return yield* new BadRequest({ message: `--${query.by}: must not be empty.` })
  }
  return query
})

const findMatches = Effect.fnUntraced(function* (options: GuestOptions) {
  const matches = yield* findGuest(options.operatorId, yield* toGuestQuery(options), yield* DateTime.nowAsDate)
  if (matches.length === 0) {
    return yield* new NotFound({ message: `Operator ${options.operatorId} has no data of this guest.` })
  }
  return matches
})

const countRecords = (matches: ReadonlyArray<GuestMatch>) => {
  const countDistinct = (idsOf: (match: GuestMatch) => ReadonlyArray<number>) => new Set(matches.flatMap(idsOf)).size
  return {
    orders: countDistinct(({ recordIds }) => recordIds.orderIds),
    stays: countDistinct(({ recordIds }) => recordIds.stayIds),
    conversations: countDistinct(({ recordIds }) => recordIds.conversationIds)
  }
}

const formatQuantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const formatCounts = ({ orders, stays, conversations }: ReturnType<typeof countRecords>): string =>
  `${formatQuantity(orders, "order")} (${formatQuantity(stays, "stay")}) and ${formatQuantity(conversations, "conversation")}`

const formatGuestImages = ({
  images,
  images_missing
}: {
  readonly images: number
  readonly images_missing: number
}): string =>
  `${formatQuantity(images, "image")}${images_missing === 0 ? "" : ` (the files of ${images_missing} more are missing)`}`

const PRIVATE_FILE_MODE = 0o600

const tryFile = <A>(file: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new ExportNotWritten({
        message: `FILE: ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const createFile = (file: string) =>
  Effect.acquireRelease(
    Effect.map(
      tryFile(file, () => Fs.open(file, "wx", PRIVATE_FILE_MODE)),
      (handle) => ({ handle, isWhole: false })
    ),
    ({ handle, isWhole }) =>
      Effect.promise(() => handle.close().then(() => (isWhole ? undefined : Fs.rm(file, { force: true }))))
  )

const runExport = Effect.fnUntraced(function* (options: GuestOptions, file: string) {
  const matches = yield* findMatches(options)
  const output = yield* createFile(file)
  const write = (line: object) => tryFile(file, () => output.handle.appendFile(`${JSON.stringify(line)}\n`))
  const counts = yield* exportGuest(options.operatorId, matches, { at: yield* DateTime.nowAsDate, write })
  yield* tryFile(file, () => output.handle.sync())
  output.isWhole = true
  return { file, ...countRecords(matches), ...counts }
}, Effect.scoped)

const withImages = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, (settings) => {
    const folder = findImageFolder(settings)
    const layerBytes = folder === undefined ? ImageBytes.layerDatabase : ImageBytes.layerFolder(folder)
    return work.pipe(Effect.provide(Images.layer()), Effect.provide(layerBytes))
  })

const exportCommand = Command.make(
  "export",
  {
    ...guestFlags,
    file: Argument.String("file").pipe(Argument.withDescription("New file to write, with one JSON object per line"))
  },
  ({ file, ...options }) =>
    runCommand(
      "guest export",
      withImages(runExport(options, file)),
      (result) =>
        `${result.file}: ${result.records} records and ${formatGuestImages(result)} of ${formatCounts(result)}.`
    )
).pipe(Command.withDescription("Export all data of a guest to a file"))

const runErase = Effect.fnUntraced(function* (options: GuestOptions, evenCurrent: boolean) {
  const matches = yield* findMatches(options)
  const current = matches.flatMap((match) => match.currentStayCodes)
  if (current.length > 0 && !evenCurrent) {
    return yield* new Conflict({
      message: `--even-current: is required to erase a guest whose stay is not over: ${current.join(", ")}.`
    })
  }
  yield* eraseGuestMatches(matches)
  return countRecords(matches)
})

const eraseCommand = Command.make(
  "erase",
  {
    ...guestFlags,
    evenCurrent: Flag.Boolean("even-current").pipe(
      Flag.withDescription("Erase the guest even if a stay is not over (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ evenCurrent, ...options }) =>
    runCommand(
      "guest erase",
      runErase(options, evenCurrent),
      (result) => `Erased the guest from ${formatCounts(result)}; nights, money and codes remain.`
    )
).pipe(Command.withDescription("Erase all data of a guest except nights, money and codes"))

export const guestCommand = Command.make("guest").pipe(
  Command.withDescription("Export or erase the data of a guest"),
  Command.withSubcommands([exportCommand, eraseCommand])
)
