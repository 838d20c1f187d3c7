import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import type { Operation } from '../../api/call.ts'
import type { Friend, Friends, Success } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Ban, Ellipsis, UserMinus, Users } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { nameOf, PersonAvatar } from '../../parts/person.tsx'
import { Empty, Problem } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { accountWords } from '../words.ts'

const { friends: say } = accountWords

type ListName = keyof Friends
export type Verb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

/** The friends of a person, or of one of their children, and the operations that change them. */
export interface CircleProps {
  readonly lists: Friends
  readonly list: ListName
  readonly canAsk: boolean
  readonly acts: Readonly<Record<Verb, Operation<{ handle: string }, Success>>>
  /** Read operations whose cached results become stale when these operations run. */
  // biome-ignore lint/suspicious/noExplicitAny: operations have as many types of input as there are
  readonly changes: readonly Operation<any, any>[]
  /** Renders the link to one of the lists. `label` holds the name and the size of the list. */
  readonly linkTo: (list: ListName, label: ReactNode) => ReactNode
}

const LISTS: readonly ListName[] = ['friends', 'received', 'sent', 'blocked']
const EMPTY = { received: say.noneReceived, sent: say.noneSent, blocked: say.noneBlocked }
const SHOWN = 100

/** Shows friends, friend requests and blocks, with the actions for each. */
export function Circle(circle: CircleProps) {
  const { lists, list } = circle
  const [most, setMost] = useState(SHOWN)
  const all = lists[list]
  return (
    <Stack gap="lg">
      {circle.canAsk ? <Ask {...circle} /> : <Text>{say.childAsks}</Text>}
      <div>
        <Tabs label={say.tabs}>
          {LISTS.map((name) =>
            circle.linkTo(
              name,
              <>
                {say.lists[name]}
                {lists[name].length > 0 && ` (${lists[name].length})`}
              </>,
            ),
          )}
        </Tabs>
        <Card isFlush>
          {list === 'received' && all.length > 0 && (
            <Text size="sm" c="dimmed" px={20} py="sm">
              {say.declineHelp}
            </Text>
          )}
          {all.length === 0 ? (
            list === 'friends' ? (
              <Empty icon={Users} title={say.empty}>
                {circle.canAsk && say.emptyText}
              </Empty>
            ) : (
              <Text c="dimmed" px={20} py="lg">
                {EMPTY[list]}
              </Text>
            )
          ) : (
            <Items label={say.lists[list]}>
              {all.slice(0, most).map((friend) => (
                <FriendItem key={friend.handle} friend={friend} circle={circle} />
              ))}
            </Items>
          )}
          {list === 'blocked' && circle.canAsk && <UnblockByHandle {...circle} />}
          {all.length > most && (
            <Group px={20} py="sm">
              <Button variant="default" size="xs" onClick={() => setMost(most + SHOWN)}>
                {say.show(Math.min(SHOWN, all.length - most))}
              </Button>
            </Group>
          )}
        </Card>
      </div>
    </Stack>
  )
}

function Ask({ acts, changes }: CircleProps) {
  const form = useForm({
    initialValues: { handle: '' },
    validate: { handle: (handle) => (handle.trim() === '' ? say.missingHandle : null) },
  })
  const [blocking, setBlocking] = useState<string>()
  useUnsaved(() => form.isDirty())
  const done = (message: string) => {
    form.reset()
    setBlocking(undefined)
    notify(message)
  }
  const ask = useWrite(acts.request, { changes, onDone: () => done(say.done.request) })
  const block = useWrite(acts.block, { changes, onDone: () => done(say.done.block) })
  return (
    <Card title={say.find}>
      <form noValidate onSubmit={form.onSubmit(({ handle }) => ask.mutate({ handle: handle.trim() }))}>
        <Stack>
          {ask.error && <Problem title={say.askFailed} error={ask.error} />}
          <TextInput
            label={accountWords.fields.handle}
            description={say.findHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="@"
            maxLength={100}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maw={420}
            {...form.getInputProps('handle')}
          />
          <Group>
            <Button type="submit" loading={ask.isPending}>
              {say.ask}
            </Button>
            <Button
              variant="subtle"
              color="red"
              onClick={() => !form.validate().hasErrors && setBlocking(form.values.handle.trim())}
            >
              {say.blockByHandle}
            </Button>
          </Group>
        </Stack>
      </form>
      <Confirm
        isOpen={blocking !== undefined}
        title={say.confirm.block.title(blocking ?? '')}
        go={say.confirm.block.go}
        isPending={block.isPending}
        error={block.error}
        onGo={() => blocking !== undefined && block.mutate({ handle: blocking })}
        onClose={() => setBlocking(undefined)}
      >
        {say.confirm.block.text}
      </Confirm>
    </Card>
  )
}

/**
 * Ends a block by handle. A blocked person who has turned off public search is not listed, so there is no button for
 * them.
 */
function UnblockByHandle({ acts, changes }: CircleProps) {
  const form = useForm({
    initialValues: { handle: '' },
    validate: { handle: (handle) => (handle.trim() === '' ? say.missingHandle : null) },
  })
  const unblock = useWrite(acts.unblock, {
    changes,
    onDone: () => {
      form.reset()
      notify(say.done.unblock)
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form noValidate onSubmit={form.onSubmit(({ handle }) => unblock.mutate({ handle: handle.trim() }))}>
      <Stack gap="sm" px={20} py="md">
        {unblock.error && <Problem title={say.unblockFailed} error={unblock.error} />}
        <TextInput
          label={say.unblockByHandle}
          description={say.unblockHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="@"
          maxLength={100}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maw={420}
          {...form.getInputProps('handle')}
        />
        <Group>
          <Button type="submit" variant="default" size="xs" loading={unblock.isPending}>
            {say.verbs.unblock}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function FriendItem({ friend, circle }: { readonly friend: Friend; readonly circle: CircleProps }) {
  const { list, acts, changes, canAsk } = circle
  const { handle } = friend
  const name = nameOf(friend)
  const [asked, setAsked] = useState<'remove' | 'block'>()
  const accept = useWrite(acts.accept, { changes, onDone: () => notify(say.done.accept) })
  const decline = useWrite(acts.decline, { changes, onDone: () => notify(say.done.decline) })
  const remove = useWrite(acts.remove, { changes, onDone: () => notify(say.done.remove) })
  const request = useWrite(acts.request, { changes })
  const block = useWrite(acts.block, { changes, onDone: () => notify(say.done.block) })
  const cancel = useWrite(acts.cancel, {
    changes,
    onDone: () => offerUndo(say.done.cancel, () => request.mutate({ handle })),
  })
  const unblock = useWrite(acts.unblock, {
    changes,
    onDone: () => offerUndo(say.done.unblock, () => block.mutate({ handle })),
  })
  const button = (verb: 'accept' | 'decline' | 'cancel' | 'unblock', write: typeof accept, isFirst = false) => (
    <Button
      size="xs"
      variant={isFirst ? 'filled' : 'default'}
      loading={write.isPending}
      aria-label={say.verbOf(say.verbs[verb], name)}
      onClick={() => write.mutate({ handle })}
    >
      {say.verbs[verb]}
    </Button>
  )
  const error = accept.error ?? decline.error ?? cancel.error ?? unblock.error
  const sure = asked === 'remove' ? remove : block
  return (
    <Item
      lead={<PersonAvatar person={friend} isKnown={list === 'friends' || list === 'received'} />}
      title={<bdi>{name}</bdi>}
      sub={name !== handle && handle}
      action={
        <Group gap="xs">
          {list === 'received' && canAsk && button('accept', accept, true)}
          {list === 'received' && canAsk && button('decline', decline)}
          {list === 'sent' && button('cancel', cancel)}
          {list === 'blocked' && canAsk && button('unblock', unblock)}
          {list !== 'blocked' && (
            <MenuButton
              withinPortal={false}
              position="bottom-end"
              button={
                <Button
                  variant="subtle"
                  color="gray"
                  size="xs"
                  px={8}
                  aria-label={say.actionsOf(name)}
                  disabled={remove.isPending || block.isPending}
                >
                  <Ellipsis size={18} aria-hidden />
                </Button>
              }
            >
              {(Menu) => (
                <>
                  {list === 'friends' && (
                    <Menu.Item
                      leftSection={<UserMinus size={16} aria-hidden />}
                      onClick={() => setAsked('remove')}
                      color="red"
                    >
                      {say.verbs.remove}
                    </Menu.Item>
                  )}
                  <Menu.Item leftSection={<Ban size={16} aria-hidden />} onClick={() => setAsked('block')} color="red">
                    {say.verbs.block}
                  </Menu.Item>
                </>
              )}
            </MenuButton>
          )}
        </Group>
      }
      below={
        <>
          {error && <Problem title={say.failed} error={error} />}
          {asked && (
            <Confirm
              isOpen
              title={say.confirm[asked].title(name)}
              go={say.confirm[asked].go}
              isPending={sure.isPending}
              error={sure.error}
              onGo={() => sure.mutate({ handle })}
              onClose={() => setAsked(undefined)}
            >
              {say.confirm[asked].text}
            </Confirm>
          )}
        </>
      }
    />
  )
}
