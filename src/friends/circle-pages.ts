import { Type } from 'typebox'
import type { AccountSection } from '../../web/pages/account/navigation.ts'
import { findNotice } from '../../web/pages/account/notices.ts'
import { confirmPage, confirmTitle } from '../../web/pages/friends/confirm-page.ts'
import { type Circle, circlePath, friendsPage, type ListName, listPage } from '../../web/pages/friends/friends-page.ts'
import type { PersonCaller } from '../caller.ts'
import { fail, PlatformError } from '../errors.ts'
import { Id, Text, Whole } from '../http/input/fields.ts'
import type { FormProblem } from '../http/pages/form-problem.ts'
import { doneAt, ownForm, ownView, showOwn } from '../http/pages/own-page.ts'
import type { Page, PageContext, ShownPage } from '../http/pages/page.ts'
import { isSameHandle } from '../people/handles.ts'
import { readSettings } from '../profiles/profiles.ts'
import type { Verb } from './acts.ts'
import type { Friends } from './schema.ts'

const MOST_AT_FIRST = 50
const PER_PAGE = 100

const child = Type.Optional(Id("A child's handle, where a parent decides for it", 100))
const friend = Type.Optional(Id('The handle of the other one', 100))
const FriendForm = Type.Object({ handle: child, friend })
const FriendsQuery = Type.Object({
  handle: child,
  list: Type.Optional(Text('One list alone', 20)),
  page: Type.Optional(Whole('Which part of the list', 1, 100)),
  done: Type.Optional(Text('What was done just now, as one of a few codes', 100)),
})

const VERBS: readonly Verb[] = ['request', 'accept', 'decline', 'cancel', 'remove', 'block', 'unblock']
const LISTS: readonly ListName[] = ['friends', 'received', 'sent', 'blocked']

/** Whose friends the pages are about: one's own, or a child's. */
export interface CircleRoom {
  readonly base: string
  readonly section: AccountSection
  /** The start of the pages' names. */
  readonly name: string
  look(context: PageContext, who: PersonCaller, child: string): Promise<{ circle: Circle; lists: Friends }>
  act(context: PageContext, who: PersonCaller, what: { child: string; friend: string; verb: Verb }): Promise<void>
}

interface Look {
  readonly notice?: string | undefined
  readonly problem?: FormProblem
  readonly typed?: string
  readonly list?: ListName | undefined
  readonly page?: number
}

async function showCircle(
  room: CircleRoom,
  context: PageContext,
  who: PersonCaller,
  { child, ...look }: Look & { child: string },
): Promise<ShownPage> {
  const [{ circle, lists }, settings] = await Promise.all([
    room.look(context, who, child),
    readSettings(context.db, who),
  ])
  const { section } = room
  const keyOf = context.csrfToken
  const title = circle.child ? `Friends of ${circle.child.name}` : 'Friends'
  if (look.list) {
    const all = lists[look.list]
    const pages = Math.max(1, Math.ceil(all.length / PER_PAGE))
    const page = Math.min(look.page ?? 1, pages)
    const shown = all.slice((page - 1) * PER_PAGE, page * PER_PAGE)
    return showOwn(settings, {
      section,
      title,
      body: listPage({ circle, list: look.list, shown, keyOf, page, pages }),
    })
  }
  const { notice, problem, typed } = look
  return showOwn(settings, {
    section,
    title,
    problem,
    body: friendsPage({ circle, lists, keyOf, most: MOST_AT_FIRST, notice, problem: problem?.sentence, typed }),
  })
}

/** Somebody as the lists have them, or nothing but the handle that was typed. */
const findIn = (lists: Friends, handle: string) =>
  LISTS.flatMap((list) => lists[list]).find((known) => isSameHandle(known.handle, handle)) ?? {
    handle: `@${handle.trim().replace(/^@/, '')}`,
    firstName: '',
    lastName: '',
  }

const confirmView = (room: CircleRoom, verb: 'remove' | 'block'): Page =>
  ownView({
    name: `${room.name}${verb === 'remove' ? 'Remove' : 'Block'}Page`,
    path: `${room.base}/${verb}`,
    input: FriendForm,
    run: async (context, who, { handle: child = '', friend = '' }) => {
      const [{ circle, lists }, settings] = await Promise.all([
        room.look(context, who, child),
        readSettings(context.db, who),
      ])
      if (friend === '') return { redirect: circlePath(circle, '') }
      return showOwn(settings, {
        section: room.section,
        title: confirmTitle(verb),
        body: confirmPage({ circle, verb, other: findIn(lists, friend), keyOf: context.csrfToken }),
      })
    },
  })

/** A second click on a button of a page that is out of date. */
const isOver = (error: unknown, verb: Verb): boolean =>
  verb !== 'request' && verb !== 'block' && error instanceof PlatformError && error.kind === 'notFound'

function verbForm(room: CircleRoom, verb: Verb): Page {
  const back = ({ handle = '' }: { handle?: string }) =>
    handle === '' ? room.base : `${room.base}?${new URLSearchParams({ handle })}`
  return ownForm({
    name: `${room.name}${verb[0]!.toUpperCase()}${verb.slice(1)}Form`,
    path: `${room.base}/${verb}`,
    input: FriendForm,
    back,
    run: async (context, who, input) => {
      const { handle: child = '', friend = '' } = input
      if (friend === '') throw fail('parameterMissing', 'Type a handle')
      try {
        await room.act(context, who, { child, friend, verb })
        return doneAt(back(input), `friend-${verb}`)
      } catch (error) {
        // Of a child that is not one's own there is nothing to show either.
        await room.look(context, who, child)
        if (isOver(error, verb)) return doneAt(back(input), 'gone')
        throw error
      }
    },
    showProblem: (context, who, { handle: child = '', friend: typed = '' }, problem) =>
      showCircle(room, context, who, { child, problem, ...(verb === 'request' ? { typed } : {}) }),
  })
}

/** The pages of one circle of friends: all lists, one alone, the questions before what is not undone easily, and the forms. */
export const circlePages = (room: CircleRoom): readonly Page[] => [
  ownView({
    name: `${room.name}Page`,
    path: room.base,
    input: FriendsQuery,
    run: (context, who, { handle: child = '', done, list, page }) =>
      showCircle(room, context, who, {
        child,
        notice: findNotice(done),
        list: LISTS.find((name) => name === list),
        ...(page === undefined ? {} : { page }),
      }),
  }),
  confirmView(room, 'remove'),
  confirmView(room, 'block'),
  ...VERBS.map((verb) => verbForm(room, verb)),
]
