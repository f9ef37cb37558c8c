import { Clock, DateTime, Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond, dateInZone, offsetText, wholeSecond } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { MESSAGES_WAITING } from "../../../platform/limits.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { imageUrl } from "../images/address.ts"
import { jpegIn } from "../images/base64.ts"
import { Images } from "../images/Images.ts"
import {
  ConversationOperations,
  type get_conversation,
  type Message,
  type query_conversations,
  type send_message,
  type update_conversation_note
} from "./contract.ts"
import { newCode, ownConversation } from "./known-conversation.ts"
import { activitiesOf, fittingText, newest, noSuchMessage, sendableIn, tooManyWait } from "./rules.ts"
import { ConversationStore, type MessageRow, NoteWritten } from "./store.ts"

type Store = ConversationStore["Service"]

const queryConversations = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof query_conversations.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const found = yield* store.search(operatorId, today, pageOf(payload))
    return { conversations: found.rows, total: found.total }
  })

const getConversation = (store: Store) =>
  Effect.fnUntraced(function* ({ id, before }: typeof get_conversation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.conversation(operatorId, id, before)
    const own = yield* ownConversation(found, store.isAnyones(id), "id")
    if (!own.before_known) return yield* noSuchMessage
    const { messages, has_more } = newest(own.messages)
    return {
      id,
      channel_type: own.channel_type,
      guest: own.guest,
      activities: activitiesOf(own.inquiry, own.stays),
      note: own.note,
      messages: messages.map(toMessage),
      has_more
    }
  })

const toMessage = (row: MessageRow): Message => ({
  ...row,
  created_at: offsetText(wholeSecond(Date.parse(row.created_at)))
})

/** What sending needs beside the store: where images are kept, and where they are shown. */
interface Imaging {
  readonly images: Images["Service"]
  readonly publicUrl: string
}

const sendMessage = (store: Store, { images, publicUrl }: Imaging) => {
  const keep = Effect.fnUntraced(function* (operatorId: number, base64: string) {
    const jpeg = yield* jpegIn(base64, IMAGE)
    const { id, token } = yield* images.put({ operatorId, kind: "message", jpeg, field: IMAGE })
    return { id, url: imageUrl(publicUrl, token) }
  })
  return Effect.fnUntraced(function* (payload: typeof send_message.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const { text, jpegBase64 } = yield* Effect.fromResult(sendableIn(payload))
    const found = yield* store.reached(operatorId, payload.id)
    const { id, channel_type, waiting } = yield* ownConversation(found, store.isAnyones(payload.id), "id")
    const content = yield* Effect.fromResult(fittingText(channel_type, text))
    // Before an image is kept for nothing; what comes at the same moment meets the lane itself.
    if (waiting >= MESSAGES_WAITING) return yield* tooManyWait
    const image = jpegBase64 === undefined ? undefined : yield* keep(operatorId, jpegBase64)
    const display_type = image === undefined ? "Text" : "FileAttachment"
    const message = { code: newCode(), display_type, content, image } as const
    return yield* store.send(operatorId, id, message, yield* DateTime.nowAsDate)
  })
}

const IMAGE = "jpeg_base64"

const writeNote = (store: Store) =>
  Effect.fnUntraced(function* ({ conversation_id, note }: typeof update_conversation_note.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.noted(operatorId, conversation_id)
    const own = yield* ownConversation(found, store.isAnyones(conversation_id), "conversation_id")
    const text = note ?? ""
    return text === own.note ? own : yield* store.note(operatorId, own.id, text, yield* currentSecond)
  })

export const layerConversations = layerHandled(
  Effect.gen(function* () {
    const store = yield* ConversationStore
    const imaging = { images: yield* Images, publicUrl: yield* PublicUrl }
    return handled(ConversationOperations, {
      query_conversations: queryConversations(store),
      get_conversation: getConversation(store),
      send_message: done(sendMessage(store, imaging)),
      update_conversation_note: change(writeNote(store), NoteWritten, ({ updated_at }, { conversation_id, note }) => ({
        id: conversation_id,
        note: note === null || note === "" ? null : note,
        updated_at
      }))
    })
  })
).pipe(Layer.provide(ConversationStore.layer))
