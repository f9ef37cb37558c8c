import type { Call } from "./agents.ts"
import { type Ground, inDays } from "./ground.ts"
import type { Service } from "./service.ts"

// What hosts ask for, in their words; how it is seen afterwards that it was done, and nothing else; and the shortest way there.

export interface Task {
  readonly id: string
  readonly words: (ground: Ground) => string
  /** It goes to a marketplace in the background, which takes up to a minute. */
  readonly isSlow?: boolean
  /** Whether it is done, by what is there now and by what was said. */
  readonly isDone: (service: Service, ground: Ground, said: string) => Promise<boolean>
  /** The shortest path, as a script. */
  readonly path: (call: Call, ground: Ground) => Promise<string>
}

const [FIRST, LAST] = [inDays(250), inDays(253)]

const bookingsOf = async (service: Service, code: string) =>
  (await service.data("GET", `/reservations?reservation_code=${code}`)).reservations

const entriesOf = async (service: Service, code: string) =>
  (await service.data("GET", `/transactions?reservation_code=${code}&start_date=${inDays(-2)}&end_date=${inDays(2)}`))
    .transactions

const nightsOf = async (service: Service, id: number, start: string, end: string): Promise<ReadonlyArray<boolean>> => {
  const { properties } = await service.data(
    "GET",
    `/availabilities?property_ids=${id}&start_date=${start}&end_date=${end}`
  )
  return properties[0].availabilities.map(({ available }: { available: boolean }) => available)
}

/** Finds an order by the guest's name, as who knows no code must. */
const orderOf = async (call: Call, guest: string, from = 300) => {
  const fields = "reservation_code,stay_code,guest_name,payment,check_in_date,check_out_date"
  const window = { start_check_in_date: inDays(from - 2), end_check_in_date: inDays(from + 25) }
  const { reservations } = await call("search_reservations", { ...window, fields, limit: 100 })
  return reservations.find(({ guest_name }: { guest_name: string }) => guest_name === guest)
}

const flatOf = async (call: Call, part: string): Promise<number> => {
  const { properties } = await call("search_properties", { fields: "id,title", limit: 100 })
  return properties.find(({ title }: { title: string }) => title.includes(part)).id
}

const named = (name: string) => (row: { readonly name?: string; readonly title?: string }) =>
  row.name === name || row.title === name

export const TASKS: ReadonlyArray<Task> = [
  {
    id: "which-flats",
    words: () => "Which flats do I have in Edinburgh? Name them all.",
    isDone: async (_service, _ground, said) =>
      ["Old Town Lodge", "Leith Harbour 1", "Leith Harbour 2", "Stockbridge Mews"].every((name) => said.includes(name)),
    path: async (call) => {
      const { properties } = await call("search_properties", { fields: "id,title", limit: 100 })
      return properties
        .map(({ title }: { title: string }) => title)
        .filter((title: string) => title.startsWith("Edinburgh"))
        .join("; ")
    }
  },
  {
    id: "book",
    words: () =>
      `Book the Chiado Loft for Ada Moreau from ${FIRST} to ${LAST}. She booked with us directly, pays 474 euro in all without commission, and has paid 100 in cash.`,
    isDone: async (service, { flat }) => {
      const query = `property_id=${flat("Chiado").id}&start_check_in_date=${FIRST}&end_check_in_date=${FIRST}`
      const { reservations } = await service.data("GET", `/reservations?${query}`)
      const [stay] = reservations
      return (
        reservations.length === 1 &&
        stay.guest_name === "Ada Moreau" &&
        stay.check_out_date === LAST &&
        stay.payment.total_amount === 474 &&
        stay.payment.received_amount === 100
      )
    },
    path: async (call) => {
      const property_id = await flatOf(call, "Chiado")
      const { custom_channels } = await call("query_custom_channels", {})
      const { income_methods } = await call("query_income_methods", {})
      await call("create_reservation", {
        property_id,
        custom_channel_id: custom_channels.find(named("Direct")).id,
        check_in_date: FIRST,
        check_out_date: LAST,
        guest_name: "Ada Moreau",
        currency: "EUR",
        rate_amount: 474,
        commission_amount: 0,
        received_amount: 100,
        income_method_id: income_methods.find(named("Cash")).id
      })
      return "Booked."
    }
  },
  {
    id: "is-it-free",
    words: () => `Is the Graça Viewpoint free on the nights from ${FIRST} to ${LAST}? Answer yes or no.`,
    isDone: async (_service, _ground, said) => /\byes\b/i.test(said),
    path: async (call) => {
      const id = await flatOf(call, "Graça")
      const asked = { property_ids: [id], start_date: FIRST, end_date: LAST }
      const { properties } = await call("get_property_availability", asked)
      return properties[0].availabilities.every(({ available }: { available: boolean }) => available) ? "Yes." : "No."
    }
  },
  {
    id: "move-a-booking",
    words: () =>
      `Ada Okoye, who comes on ${inDays(320)}, wants to come a day later and leave two days later than booked. Change it.`,
    isDone: async (service, { okoye }) => {
      const [stay] = await bookingsOf(service, okoye)
      return stay.check_in_date === inDays(321) && stay.check_out_date === inDays(325)
    },
    path: async (call) => {
      const { stay_code } = await orderOf(call, "Ada Okoye")
      const days = { check_in_date: inDays(321), check_out_date: inDays(325) }
      await call("update_reservation_basic", { stay_code, ...days })
      return "Moved."
    }
  },
  {
    id: "cancel",
    words: () => `Nils Berg is not coming (he was to arrive on ${inDays(310)}). Cancel his booking.`,
    isDone: async (service, { berg }) => (await bookingsOf(service, berg))[0].status === "cancelled",
    path: async (call) => {
      const { reservation_code } = await orderOf(call, "Nils Berg")
      await call("cancel_reservation", { reservation_code })
      return "Cancelled."
    }
  },
  {
    id: "why-unpaid",
    words: () =>
      `How much of Mira Holm's booking (arriving ${inDays(300)}) was paid so far, and what does the whole stay cost?`,
    isDone: async (_service, _ground, said) => said.includes("120") && said.includes("420"),
    path: async (call) => {
      const { payment } = await orderOf(call, "Mira Holm")
      return `${payment.received_amount} of ${payment.total_amount} were paid.`
    }
  },
  {
    id: "refund",
    words: () =>
      `Mira Holm (arriving ${inDays(300)}) got 50 pounds back from us by bank transfer today because the heating was broken. Write that down on her booking.`,
    isDone: async (service, { holm }) =>
      (await entriesOf(service, holm)).some(
        ({ direction, amount }: { direction: string; amount: number }) => direction === "expense" && amount === 50
      ),
    path: async (call) => {
      const { reservation_code } = await orderOf(call, "Mira Holm")
      const { expense_items } = await call("query_expense_items", {})
      const { expense_methods } = await call("query_expense_methods", {})
      await call("create_transaction", {
        reservation_code,
        direction: "expense",
        amount: 50,
        item_id: (expense_items.find(named("Refund")) ?? expense_items.at(-1)).id,
        payment_method_id: expense_methods.find(named("Bank transfer")).id,
        note: "Heating was broken"
      })
      return "Written down."
    }
  },
  {
    id: "expense",
    words: () =>
      "I paid 18.40 pounds in cash for cleaning supplies for Stockbridge Mews today. Record it as a cleaning expense.",
    isDone: async (service, { flat }) => {
      const query = `property_id=${flat("Mews").id}&start_date=${inDays(-1)}&end_date=${inDays(1)}&direction=expense`
      const { transactions } = await service.data("GET", `/transactions?${query}`)
      return transactions.some(
        ({ amount, item_id }: { amount: number; item_id: number }) => amount === 18.4 && item_id === 51
      )
    },
    path: async (call) => {
      const property_id = await flatOf(call, "Mews")
      const { expense_items } = await call("query_expense_items", {})
      const { expense_methods } = await call("query_expense_methods", {})
      await call("create_transaction", {
        property_id,
        direction: "expense",
        amount: 18.4,
        currency: "GBP",
        item_id: expense_items.find(named("Cleaning")).id,
        payment_method_id: expense_methods.find(named("Cash")).id
      })
      return "Recorded."
    }
  },
  {
    id: "correct-an-amount",
    words: () => "Today's laundry expense of Stockbridge Mews was 38 pounds, not 31. Correct it.",
    isDone: async (service, { laundry }) =>
      (await service.data("GET", `/transactions?id=${laundry}`)).transactions[0].amount === 38,
    path: async (call) => {
      const days = { start_date: inDays(-1), end_date: inDays(1) }
      const { transactions } = await call("search_transactions", { ...days, keyword: "Laundry of the Mews" })
      await call("update_transaction", { id: transactions[0].id, amount: 38 })
      return "Corrected."
    }
  },
  {
    id: "delete-a-duplicate",
    words: () => "The light bulbs for Stockbridge Mews were entered twice today, 27.50 each. Delete one of the two.",
    isDone: async (service) => {
      const query = `start_date=${inDays(-1)}&end_date=${inDays(1)}&keyword=Light%20bulbs`
      return (await service.data("GET", `/transactions?${query}`)).total === 1
    },
    path: async (call) => {
      const days = { start_date: inDays(-1), end_date: inDays(1) }
      const { transactions } = await call("search_transactions", { ...days, keyword: "Light bulbs" })
      await call("delete_transaction", { id: transactions[0].id })
      return "Deleted."
    }
  },
  {
    id: "close-a-week",
    words: () => `Close Stockbridge Mews from ${inDays(260)} to ${inDays(266)}, both days included: we are painting.`,
    isDone: async (service, { flat }) => {
      const nights = await nightsOf(service, flat("Mews").id, inDays(259), inDays(267))
      return nights.join() === [true, ...Array(7).fill(false), true].join()
    },
    path: async (call) => {
      const property_ids = [await flatOf(call, "Mews")]
      const days = { start_date: inDays(260), end_date: inDays(266) }
      await call("update_availabilities", { property_ids, available: false, ...days })
      return "Closed."
    }
  },
  {
    id: "open-a-week",
    words: ({ closed }) =>
      `The Belém Garden Studio is closed from ${closed.start_date} to ${closed.end_date}. Open those days again.`,
    isDone: async (service, { flat, closed }) =>
      (await nightsOf(service, flat("Belém").id, closed.start_date, closed.end_date)).every(Boolean),
    path: async (call, { closed }) => {
      await call("update_availabilities", { property_ids: [await flatOf(call, "Belém")], available: true, ...closed })
      return "Open."
    }
  },
  {
    id: "price",
    isSlow: true,
    words: () => `Set the Airbnb price of Alfama Terrace to 149 a night from ${inDays(200)} to ${inDays(206)}.`,
    isDone: async (service, { flat, listingOf }) => {
      const { channel_type, listing_id } = listingOf(flat("Alfama"))
      const asked = { start_date: inDays(200), end_date: inDays(206), listings: [{ channel_type, listing_id }] }
      const { listings } = await service.data("POST", "/listings/calendar", asked)
      return listings[0].calendar.every(({ price }: { price: number }) => price === 149)
    },
    path: async (call) => {
      const { listings } = await call("search_listings", { channel_type: "airbnb", limit: 100 })
      const { channel_type, listing_id } = listings.find(({ title }: { title: string }) => title.includes("Alfama"))
      const prices = [{ start_date: inDays(200), end_date: inDays(206), price: 149 }]
      await call("update_listing_prices", { channel_type, listing_id, prices })
      return "Set."
    }
  },
  {
    id: "least-nights",
    isSlow: true,
    words: () =>
      `Nobody should be able to arrive at the Chiado Loft by Airbnb for fewer than 3 nights from ${inDays(210)} to ${inDays(220)}.`,
    isDone: async (service, { flat, listingOf }) => {
      const { channel_type, listing_id } = listingOf(flat("Chiado"))
      const asked = { start_date: inDays(210), end_date: inDays(220), listings: [{ channel_type, listing_id }] }
      const { listings } = await service.data("POST", "/listings/calendar", asked)
      return listings[0].calendar.every((day: object) => JSON.stringify(day).includes('"min_stay_on_arrival":3'))
    },
    path: async (call) => {
      const { listings } = await call("search_listings", { channel_type: "airbnb", limit: 100 })
      const { channel_type, listing_id } = listings.find(({ title }: { title: string }) => title.includes("Chiado"))
      const restrictions = [{ start_date: inDays(210), end_date: inDays(220), min_stay_on_arrival: 3 }]
      await call("update_listing_restrictions", { channel_type, listing_id, restrictions })
      return "Set."
    }
  },
  {
    id: "accept-a-request",
    words: ({ request }) => `There is a booking request of ${request.guest_name} that waits for an answer. Accept it.`,
    isDone: async (service, { request }) =>
      (await bookingsOf(service, request.reservation_code))[0].status === "accepted",
    path: async (call) => {
      const { reservations } = await call("search_reservations", { status: "wait_accept", fields: "reservation_code" })
      await call("approve_reservation", { reservation_code: reservations[0].reservation_code })
      return "Accepted."
    }
  },
  {
    id: "tag-a-booking",
    words: () => `Mark the booking of Mira Holm (arriving ${inDays(300)}) as VIP.`,
    isDone: async (service, { holm }) => JSON.stringify((await bookingsOf(service, holm))[0].tags).includes("VIP"),
    path: async (call) => {
      const { stay_code } = await orderOf(call, "Mira Holm")
      await call("add_reservation_tag", { stay_code, tag_name: "VIP" })
      return "Marked."
    }
  },
  {
    id: "door-code",
    words: () =>
      `The door code for Mira Holm, who arrives on ${inDays(300)}, is 2580#. Put it into her check-in details.`,
    isDone: async (service, { holm }) => (await bookingsOf(service, holm))[0].check_in_details.lock_code === "2580#",
    path: async (call) => {
      const { stay_code } = await orderOf(call, "Mira Holm")
      await call("update_check_in_details", { stay_code, lock_code: "2580#" })
      return "Done."
    }
  },
  {
    id: "own-field",
    words: () => `Note for Mira Holm's stay (arriving ${inDays(300)}), in the custom field "parking": Bay 4.`,
    isDone: async (service, { holm }) =>
      (await service.data("GET", `/reservations/${holm}/custom_fields`)).custom_fields.parking === "Bay 4",
    path: async (call) => {
      const { stay_code } = await orderOf(call, "Mira Holm")
      await call("update_reservation_custom_fields", { stay_code, custom_fields: { parking: "Bay 4" } })
      return "Noted."
    }
  },
  {
    id: "new-cleaner",
    words: () => "Add Jo Park, mobile +44 7700900456, to the staff. She works in the two Leith Harbour flats only.",
    isDone: async (service, { flat }) => {
      const { staffs } = await service.data("GET", "/staffs?limit=100")
      const wanted = [flat("Leith Harbour 1").id, flat("Leith Harbour 2").id].join()
      return staffs.some(
        (each: { name: string; property_ids: ReadonlyArray<number> }) =>
          each.name === "Jo Park" && each.property_ids.join() === wanted
      )
    },
    path: async (call) => {
      const property_ids = [await flatOf(call, "Leith Harbour 1"), await flatOf(call, "Leith Harbour 2")]
      await call("create_staff", { name: "Jo Park", mobile: "+44 7700900456", property_ids })
      return "Added."
    }
  },
  {
    id: "send-a-cleaner",
    words: () => `Have the Alfama Terrace cleaned by Marta Nunes on ${inDays(270)} at 11:00.`,
    isDone: async (service, { flat }) => {
      const query = `property_id=${flat("Alfama").id}&type=cleaning&start_date=${inDays(270)}&end_date=${inDays(270)}`
      const { tasks } = await service.data("GET", `/tasks?${query}`)
      return tasks.length === 1 && tasks[0].staff_name === "Marta Nunes" && tasks[0].expected_time === "11:00:00"
    },
    path: async (call) => {
      const property_id = await flatOf(call, "Alfama")
      const { staffs } = await call("query_staffs", { limit: 100 })
      const when = { expected_date: inDays(270), expected_time: "11:00:00" }
      await call("create_task", {
        type: "cleaning",
        property_id,
        staff_id: staffs.find(named("Marta Nunes")).id,
        ...when
      })
      return "Asked."
    }
  },
  {
    id: "task-done",
    words: () =>
      `The cleaning of Old Town Lodge on ${inDays(310)} with the note "Windows too" is finished. Close that task.`,
    isDone: async (service, { doneTask }) =>
      (await service.data("GET", `/tasks?id=${doneTask}`)).tasks[0].status === "completed",
    path: async (call) => {
      const day = { start_date: inDays(310), end_date: inDays(310) }
      const { tasks } = await call("search_tasks", { property_id: await flatOf(call, "Old Town"), ...day })
      const task = tasks.find(({ note }: { note: string }) => note === "Windows too")
      await call("update_task", { id: task.task_id, status: "completed" })
      return "Closed."
    }
  },
  {
    id: "give-a-task",
    words: () => `Give the task at Old Town Lodge on ${inDays(310)} that says "Bring the new kettle" to Ewan Reid.`,
    isDone: async (service, { looseTask }) =>
      (await service.data("GET", `/tasks?id=${looseTask}`)).tasks[0].staff_name === "Ewan Reid",
    path: async (call) => {
      const day = { start_date: inDays(310), end_date: inDays(310) }
      const { tasks } = await call("search_tasks", { property_id: await flatOf(call, "Old Town"), ...day })
      const { staffs } = await call("query_staffs", { limit: 100 })
      const task = tasks.find(({ note }: { note: string }) => note === "Bring the new kettle")
      await call("update_task", { id: task.task_id, staff_id: staffs.find(named("Ewan Reid")).id })
      return "Given."
    }
  },
  {
    id: "answer-a-guest",
    words: ({ conversation }) =>
      `Write to ${conversation.guest.name}, in the conversation that was active last: "The key is in the box right of the door."`,
    isDone: async (service, { conversation }) => {
      const { messages } = await service.data("GET", `/conversations/${conversation.id}`)
      return messages.some(
        ({ sender_role, content }: { sender_role: string; content: string }) =>
          sender_role !== "guest" && content === "The key is in the box right of the door."
      )
    },
    path: async (call) => {
      const { conversations } = await call("query_conversations", { limit: 1, fields: "id" })
      await call("send_message", { id: conversations[0].id, message: "The key is in the box right of the door." })
      return "Sent."
    }
  },
  {
    id: "remember-of-a-guest",
    words: ({ conversation }) => `Keep a note on the conversation with ${conversation.guest.name}: Arrives with a dog.`,
    isDone: async (service, { conversation }) =>
      (await service.data("GET", `/conversations/${conversation.id}`)).note.includes("Arrives with a dog"),
    path: async (call) => {
      const { conversations } = await call("query_conversations", { limit: 1, fields: "id" })
      await call("update_conversation_note", { conversation_id: conversations[0].id, note: "Arrives with a dog" })
      return "Noted."
    }
  },
  {
    id: "thank-for-a-review",
    words: () =>
      `One of my Airbnb reviews has no reply of mine yet, of a stay that ended on or before ${inDays(-6)}. Thank the guest for it.`,
    isDone: async (service) => {
      const { reviews } = await service.data("GET", `/reviews?end_check_out_date=${inDays(-6)}&limit=100`)
      return reviews
        .filter(({ channel_type }: { channel_type: string }) => channel_type === "airbnb")
        .every(({ host_reply }: { host_reply: unknown }) => host_reply !== null)
    },
    path: async (call) => {
      const { reviews } = await call("search_reviews", { end_check_out_date: inDays(-6), limit: 100 })
      const { reservation_code } = reviews.find(
        ({ channel_type, host_reply }: { channel_type: string; host_reply: unknown }) =>
          channel_type === "airbnb" && host_reply === null
      )
      await call("create_review", { reservation_code, host_reply_content: "Thank you, come back any time!" })
      return "Thanked."
    }
  },
  {
    id: "write-down-for-guests",
    words: () =>
      'Guests of Leith Harbour 1 should know, on every channel: "The bins are emptied on Tuesday." Add it to the knowledge base under the title Bins, for guests with a booking.',
    isDone: async (service, { flat }) => {
      const id = flat("Leith Harbour 1").id
      const { knowledge_bases } = await service.data("GET", `/knowledge_bases?property_ids=${id}&limit=100`)
      const made = knowledge_bases.find(named("Bins"))
      if (made === undefined || !made.is_enable || made.scope_property.ids.join() !== String(id)) return false
      const { knowledge_base } = await service.data("GET", `/knowledge_bases/${made.id}`)
      return JSON.stringify(knowledge_base.contents).includes("Tuesday") && knowledge_base.audience === "guests"
    },
    path: async (call) => {
      await call("create_knowledge_base", {
        title: "Bins",
        is_enable: true,
        audience: "guests",
        scope_property: { type: "by_property", ids: [await flatOf(call, "Leith Harbour 1")] },
        scope_channel: { type: "all", channels: ["unlimited"] },
        contents: [{ sub_title: "Bins", text: "The bins are emptied on Tuesday." }]
      })
      return "Added."
    }
  },
  {
    id: "turn-knowledge-off",
    words: () =>
      "Guests should not be answered from the knowledge base entry called Parking any more. Turn it off, but keep it.",
    isDone: async (service, { parking }) => {
      const { knowledge_base } = await service.data("GET", `/knowledge_bases/${parking.id}`)
      return !knowledge_base.is_enable && knowledge_base.contents.length > 0
    },
    path: async (call) => {
      const { knowledge_bases } = await call("search_knowledge_bases", { limit: 100 })
      const { id } = knowledge_bases.find(named("Parking"))
      const { knowledge_base } = await call("get_knowledge_base", { id })
      const { scope_property, scope_channel, contents } = knowledge_base
      await call("update_knowledge_base", { id, is_enable: false, scope_property, scope_channel, contents })
      return "Off."
    }
  },
  {
    id: "share-a-calendar",
    words: () =>
      "My cleaner needs a link to the calendar of the Graça Viewpoint, of that flat alone. Make one and tell me its address.",
    isDone: async (service, { flat }, said) => {
      const { calendar_share_links } = await service.data("GET", "/calendar_share_links?limit=100")
      const made = calendar_share_links.find(
        (each: { property_ids: ReadonlyArray<number> }) => each.property_ids.join() === String(flat("Graça").id)
      )
      return made !== undefined && said.includes(made.url)
    },
    path: async (call) => {
      const property_ids = [await flatOf(call, "Graça")]
      const { calendar_share_link } = await call("create_calendar_share_link", { scope: "partial", property_ids })
      return `It is ${calendar_share_link.url}`
    }
  },
  {
    id: "group-flats",
    words: () => "Put Alfama Terrace and Chiado Loft into a new group called Old Lisbon.",
    isDone: async (service, { flat }) => {
      const { groups } = await service.data("GET", "/groups?limit=100")
      const wanted = [flat("Alfama").id, flat("Chiado").id].join()
      return groups.some(
        (each: { name: string; property_ids: ReadonlyArray<number> }) =>
          each.name === "Old Lisbon" && each.property_ids.join() === wanted
      )
    },
    path: async (call) => {
      const property_ids = [await flatOf(call, "Alfama"), await flatOf(call, "Chiado")]
      await call("create_property_group", { name: "Old Lisbon", property_ids })
      return "Grouped."
    }
  },
  {
    id: "hold-a-message-back",
    words: ({ message }) =>
      `An automatic message "${message.name}" is about to go to ${message.send_to} (stay ${message.stay_code}). Do not send it.`,
    isDone: async (service, { message }) => {
      const { actions } = await service.data("GET", "/automation/actions?type=message&limit=100")
      return !actions.some(({ id }: { id: number }) => id === message.id)
    },
    path: async (call, { message }) => {
      const { actions } = await call("query_upcoming_automation_actions", {
        type: "message",
        stay_code: message.stay_code
      })
      const { id } = actions.find(named(message.name))
      await call("delete_automation_action", { plan_id: id })
      return "It will not be sent."
    }
  }
]
