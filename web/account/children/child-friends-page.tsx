import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Operation } from '../../api/call.ts'
import {
  acceptFriendForChild,
  blockForChild,
  type Child,
  cancelFriendRequestForChild,
  declineFriendForChild,
  listChildren,
  readChildFriends,
  removeFriendForChild,
  requestFriendForChild,
  type Success,
  unblockForChild,
} from '../../api/operations.ts'
import { nameOf } from '../../parts/person.tsx'
import { Loaded } from '../../parts/states.tsx'
import { listTab } from '../../parts/tabs.tsx'
import { Circle, type Verb } from '../friends/circle.tsx'
import { accountWords } from '../words.ts'
import { useChild } from './use-child.ts'

const { friends: say } = accountWords
const route = getRouteApi('/signed-in/account/children/$handle/friends')

const ACTS: Readonly<Record<Verb, Operation<{ handle: string; friend: string }, Success>>> = {
  request: requestFriendForChild,
  accept: acceptFriendForChild,
  decline: declineFriendForChild,
  cancel: cancelFriendRequestForChild,
  remove: removeFriendForChild,
  block: blockForChild,
  unblock: unblockForChild,
}

export function ChildFriendsPage() {
  const child = useChild()
  return child && <FriendsOf child={child} />
}

/** Lets a parent manage the friends of a child. */
function FriendsOf({ child }: { readonly child: Child }) {
  const { list = 'friends' } = route.useSearch()
  const lists = useQuery(route.useLoaderData().lists)
  const acts = useMemo(() => actsFor(child.handle), [child.handle])
  return (
    <>
      <Text mb="md">{say.leadOf(nameOf(child))}</Text>
      <Loaded query={lists}>
        {(data) => (
          <Circle
            lists={data}
            list={list}
            canAsk
            acts={acts}
            changes={[readChildFriends, listChildren]}
            linkTo={(name, label) => (
              <Link
                key={name}
                to="/account/children/$handle/friends"
                params={{ handle: child.handle }}
                search={name === 'friends' ? {} : { list: name }}
                {...listTab}
              >
                {label}
              </Link>
            )}
          />
        )}
      </Loaded>
    </>
  )
}

const actsFor = (child: string): Readonly<Record<Verb, Operation<{ handle: string }, Success>>> =>
  Object.fromEntries(
    Object.entries(ACTS).map(([verb, act]) => [
      verb,
      Object.assign(({ handle: friend }: { handle: string }) => act({ handle: child, friend }), {
        operationName: act.operationName,
      }),
    ]),
  ) as never
