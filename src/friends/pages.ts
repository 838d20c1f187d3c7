import type { Page } from '../http/pages/page.ts'
import { readSettings } from '../profiles/profiles.ts'
import { actOnHandle } from './acts.ts'
import { circlePages } from './circle-pages.ts'
import { readFriends } from './lists.ts'

const base = '/account/friends'

export const friendPages: readonly Page[] = circlePages({
  base,
  section: 'friends',
  name: 'friends',
  look: async ({ db }, who) => {
    const [lists, { userType }] = await Promise.all([readFriends(db, who, who.personId), readSettings(db, who)])
    return { lists, circle: { base, canAsk: userType !== 'child' } }
  },
  act: ({ db }, who, { friend, verb }) =>
    actOnHandle(db, who, { verb, personId: who.personId, handle: friend, by: 'person' }),
})
