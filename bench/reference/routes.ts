import type { FastifyInstance, preHandlerHookHandler } from "fastify"
import { type Booking, GIVEN, type NewEntry, newChannelId } from "./calls.ts"
import { createdEnvelope, entriesEnvelope, refusedEnvelope } from "./entry-answers.ts"
import { bookedEnvelope, reservationsEnvelope } from "./reservation-answers.ts"
import { booked, booking, reservation, searched } from "./reservation-schemas.ts"
import { send } from "./settings.ts"

// What both Fastify references answer: its schema validation, its compiled serializer, and pg.

const nullableText = { type: ["string", "null"] }
const nullableInteger = { type: ["integer", "null"] }

const entry = {
  type: "object",
  properties: {
    id: { type: "integer" },
    direction: { type: "string" },
    amount: { type: "number" },
    currency: { type: "string" },
    status: { type: "string" },
    action_at: { type: "string" },
    item_id: { type: "integer" },
    item_name: nullableText,
    payment_method_id: { type: "integer" },
    payment_method_name: nullableText,
    note: { type: "string" },
    operator_name: { type: "string" },
    link_type: { type: "string" },
    property_id: nullableInteger,
    property_title: nullableText,
    reservation_code: nullableText,
    stay_code: nullableText,
    shares: {
      type: "array",
      items: { type: "object", properties: { property_id: nullableInteger, amount: { type: "number" } } }
    },
    created_at: { type: "string" },
    updated_at: { type: "string" }
  }
}

const answerOf = (data: object) => ({
  type: "object",
  properties: {
    request_id: { type: "string" },
    error_code: { type: "integer" },
    error_msg: { type: "string" },
    data: { type: "object", properties: data }
  }
})

const date = { type: "string", format: "date" }

/** Refusals as the service tells them: status 200, the code in the envelope. */
const refuse = (app: FastifyInstance, beforeNotFound: preHandlerHookHandler) => {
  app.setErrorHandler<{ validation?: unknown; message: string }>((error, _request, reply) =>
    reply.code(200).send(refusedEnvelope(error.validation === undefined ? 500 : 422, error.message))
  )
  app.setNotFoundHandler({ preHandler: beforeNotFound }, (request, reply) =>
    reply.code(200).send(refusedEnvelope(404, `No such route: ${request.method} ${request.url}`))
  )
}

const entries = (app: FastifyInstance) => {
  app.get<{ Querystring: { id?: number; start_date?: string; end_date?: string } }>(
    "/v3/transactions",
    {
      schema: {
        querystring: {
          type: "object",
          properties: {
            id: { type: "integer", minimum: 1 },
            start_date: date,
            end_date: date,
            limit: { type: "integer", minimum: 1, maximum: 100 }
          }
        },
        response: {
          200: answerOf({ transactions: { type: "array", items: entry }, total: { type: "integer" } })
        }
      }
    },
    async (request) => {
      const { id, start_date = "", end_date = "" } = request.query
      return entriesEnvelope(
        id === undefined ? await send("month", GIVEN.month(start_date, end_date)) : await send("entry", GIVEN.entry(id))
      )
    }
  )

  app.post<{ Body: NewEntry }>(
    "/v3/transactions",
    {
      schema: {
        body: {
          type: "object",
          required: ["direction", "amount", "item_id", "payment_method_id"],
          properties: {
            direction: { type: "string", enum: ["income", "expense"] },
            amount: { type: "number", exclusiveMinimum: 0 },
            currency: { type: "string", pattern: "^[A-Z]{3}$" },
            item_id: { type: "integer", minimum: 1 },
            payment_method_id: { type: "integer", minimum: 1 },
            property_id: { type: "integer", minimum: 1 },
            note: { type: "string", maxLength: 500 }
          }
        },
        response: { 200: answerOf({ transaction_id: { type: "integer" } }) }
      }
    },
    async (request) => createdEnvelope(await send("newEntry", GIVEN.newEntry(request.body)))
  )
}

const reservations = (app: FastifyInstance) => {
  app.get<{
    Querystring: { channel_id?: string; start_check_in_date?: string; end_check_in_date?: string; limit: number }
  }>(
    "/v3/reservations",
    {
      schema: {
        querystring: searched,
        response: {
          200: answerOf({ reservations: { type: "array", items: reservation }, total: { type: "integer" } })
        }
      }
    },
    async (request) => {
      const { channel_id, start_check_in_date: start = "", end_check_in_date: end = "", limit } = request.query
      return reservationsEnvelope(
        channel_id === undefined
          ? await send("arrivals", GIVEN.arrivals(start, end, limit))
          : await send("channelId", GIVEN.channelId(channel_id))
      )
    }
  )

  app.post<{ Body: Booking }>(
    "/v3/reservations",
    { schema: { body: booking, response: { 200: answerOf(booked) } } },
    async (request) => bookedEnvelope(await send("booking", GIVEN.booking(request.body, newChannelId())))
  )
}

/** Unknown routes pass `beforeNotFound` first, which hooks of routes do not see. */
export const answerOn = (
  app: FastifyInstance,
  beforeNotFound: preHandlerHookHandler = (_request, _reply, done) => done()
) => {
  refuse(app, beforeNotFound)
  entries(app)
  reservations(app)
}
