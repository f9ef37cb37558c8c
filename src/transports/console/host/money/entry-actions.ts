import { DateTime, Effect, Schema } from "effect"
import { create_transaction, search_transactions, type Transaction } from "../../../../domain/money/contract.ts"
import type { Service } from "../../../../service/service.ts"
import type { SubmittedForm } from "../../visit.ts"
import { makeMutation, makeQuery, makeVoidMutation } from "../api-operations.ts"
import { parseNumber, readChangedFields, readFilledFields } from "../form-values.ts"
import { type HostAction, redirectWithout } from "../host-page.ts"
import type { Notice, UndoForm } from "../notice.ts"
import { formatMoney } from "../page-parts.ts"
import { DIRECTION_LABELS, ENTRY_CREATE_PARSERS, ENTRY_EDIT_PARSERS } from "./entry-form.ts"

const ID_PARSER = { id: parseNumber }

const decodeCreated = Schema.decodeUnknownSync(Schema.toCodecJson(create_transaction.successSchema))

const entryName = ({ direction, amount, currency }: Pick<Transaction, "direction" | "amount" | "currency">): string =>
  `${DIRECTION_LABELS[direction].title} of ${formatMoney(String(amount), currency)}`

const submittedEntryName = (form: SubmittedForm): string =>
  entryName({
    direction: form.get("direction") === "income" ? "income" : "expense",
    amount: Number(form.get("amount")),
    currency: (form.get("currency") ?? "").trim().toUpperCase()
  })

/** A new entry gets its status from its date, so only an entry with that status can be entered again. */
const toRestoreForm = (entry: Transaction, now: Date): UndoForm | undefined => {
  const { direction, amount, currency, item_id, payment_method_id, action_at, note, link_type } = entry
  if (new Date(action_at) > now !== (entry.status === "outstanding")) return undefined
  return {
    action: "record",
    fields: {
      ...{ direction, amount: String(amount), currency, action_at, note },
      ...{ item_id: String(item_id), payment_method_id: String(payment_method_id) },
      ...(link_type === "property" ? { property_id: String(entry.property_id ?? "") } : {}),
      ...(link_type === "reservation" ? { reservation_code: entry.reservation_code ?? "" } : {})
    }
  }
}

const toDeletionNotice = (entry: Transaction | undefined, now: Date): Notice => {
  if (entry === undefined) return { text: "Transaction deleted." }
  const undo = toRestoreForm(entry, now)
  const text = `${entryName(entry)} deleted.`
  return undo === undefined ? { text } : { text, undo }
}

export const makeEntryActions = (service: Service["Service"]): Readonly<Record<string, HostAction>> => {
  const [mutate, create] = [makeVoidMutation(service), makeMutation(service)]
  const search = makeQuery(service, search_transactions)
  return {
    record: {
      doneMessage: "Transaction saved.",
      run: (visit, form) =>
        Effect.map(
          create(visit, form, "create_transaction", readFilledFields(form, ENTRY_CREATE_PARSERS)),
          (created) => ({
            ...redirectWithout(visit, "add"),
            notice: {
              text: `${submittedEntryName(form)} saved.`,
              undo: { action: "delete", fields: { id: String(decodeCreated(created).transaction_id) } }
            }
          })
        )
    },
    change: {
      doneMessage: "Transaction saved.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "update_transaction", {
            ...readFilledFields(form, ID_PARSER),
            ...readChangedFields(form, ENTRY_EDIT_PARSERS)
          }),
          redirectWithout(visit, "change")
        )
    },
    settle: {
      doneMessage: "Marked as paid.",
      run: (visit, form) =>
        Effect.as(
          mutate(visit, form, "update_transaction", { ...readFilledFields(form, ID_PARSER), status: "paid" }),
          redirectWithout(visit, "change")
        )
    },
    delete: {
      doneMessage: "Transaction deleted.",
      run: Effect.fnUntraced(function* (visit, form) {
        const id = readFilledFields(form, ID_PARSER)
        const [entry] = (yield* search(visit, id)).transactions
        yield* mutate(visit, form, "delete_transaction", id)
        const now = yield* DateTime.nowAsDate
        return { ...redirectWithout(visit, "change"), notice: toDeletionNotice(entry, now) }
      })
    }
  }
}
