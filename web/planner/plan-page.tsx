import { Alert, Button, CopyButton, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Candidate, changePlan, listPlans, type Plan, readPlan, removePlan } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Copy, Eye, UserSearch } from '../parts/icons.tsx'
import { TextLink } from '../parts/link.tsx'
import { notify } from '../parts/notify.tsx'
import { onDemand } from '../parts/on-demand.ts'
import { useOrganisationNames } from '../parts/organisation-names.ts'
import { PageHead } from '../parts/page-head.tsx'
import { only } from '../parts/search.ts'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { words } from '../parts/words.ts'
import { CandidateList, readCompared } from './candidates.tsx'
import { nameOf } from './names.ts'
import { plannerWords } from './words.ts'

const ShareDialog = onDemand(async () => (await import('./share-dialog.tsx')).ShareDialog)

const { plan: say, plans, sharing, save, candidates: sayCandidates } = plannerWords
const { form: sayForm } = words
const route = getRouteApi('/signed-in/planner/plans/$planId')
const CHANGED = [readPlan, listPlans]

export function PlanPage() {
  const found = useQuery(route.useLoaderData().plan)
  return <Loaded query={found}>{(plan) => <PlanContent plan={plan} />}</Loaded>
}

interface PlanProps {
  readonly plan: Plan
}

function PlanContent({ plan }: PlanProps) {
  const { name, text, notes, organisations, createdDate, people, own, owner, shared } = plan
  const organisationName = useOrganisationNames(organisations)
  const sharedWith = [
    ...(shared?.organisations.map((one) => sharing.members(one.name)) ?? []),
    ...(shared?.people.map(nameOf) ?? []),
  ]
  const { compare } = route.useSearch()
  const navigate = route.useNavigate()
  const [asked, setAsked] = useState<'change' | 'remove' | 'share'>()
  const [dropped, setDropped] = useState<Candidate>()
  const close = () => setAsked(undefined)
  return (
    <>
      <PageHead
        title={name}
        above={
          <TextLink to="/planner/plans" size="sm">
            {plans.title}
          </TextLink>
        }
        action={
          <Group gap="xs">
            {own && <Button onClick={() => setAsked('share')}>{say.share}</Button>}
            <CopyPlan plan={plan} />
            {own && (
              <>
                <Button variant="default" onClick={() => setAsked('change')}>
                  {say.change}
                </Button>
                <Button variant="light" color="red" onClick={() => setAsked('remove')}>
                  {say.delete}
                </Button>
              </>
            )}
          </Group>
        }
      />
      <Stack gap="xl">
        {!own && (
          <Alert icon={<Eye size={18} aria-hidden />} title={say.readOnly}>
            {say.readOnlyText(nameOf(owner))}
          </Alert>
        )}
        <Card>
          <Facts>
            {!own && <Fact name={say.owner}>{`${nameOf(owner)} (${owner.handle})`}</Fact>}
            {own && <Fact name={say.shared}>{sharedWith.join(', ') || say.notShared}</Fact>}
            <Fact name={say.mission}>{text}</Fact>
            <Fact name={say.organisations}>{organisations.map(organisationName).join(', ')}</Fact>
            <Fact name={say.notes}>
              <Text style={{ whiteSpace: 'pre-wrap' }}>{notes || say.noNotes}</Text>
            </Fact>
            <Fact name={say.made}>
              <Time at={createdDate} />
            </Fact>
          </Facts>
        </Card>
        <Stack gap="md">
          <Title order={2}>{say.people}</Title>
          {people.length === 0 ? (
            <Card>
              <Empty icon={UserSearch} title={say.nobody} />
            </Card>
          ) : (
            <CandidateList
              candidates={people}
              compared={readCompared(compare, people)}
              onCompare={(handles) =>
                void navigate({ search: only({ compare: handles }), replace: true, resetScroll: false })
              }
              {...(own && { onRemove: setDropped })}
            />
          )}
        </Stack>
      </Stack>
      <Dialog isOpen={asked === 'change'} onClose={close} title={say.changeTitle}>
        <ChangeForm plan={plan} onClose={close} />
      </Dialog>
      {asked === 'share' && <ShareDialog plan={plan} onClose={close} />}
      {asked === 'remove' && <RemovePlan plan={plan} onClose={close} />}
      {dropped && <DropPerson plan={plan} candidate={dropped} onClose={() => setDropped(undefined)} />}
    </>
  )
}

/** A button that copies the plan as text, for people who have no access to it. */
const CopyPlan = ({ plan: { name, text, notes, people } }: PlanProps) => {
  const lines = people.map((one, i) => {
    const reasons = one.sources.flatMap(({ reasons }) => reasons)
    return say.shareLine(i + 1, nameOf(one), one.handle, sayCandidates.scoreOf(one.score), reasons)
  })
  return (
    <CopyButton value={say.shareText(name, text, lines, notes)}>
      {({ copied, copy }) => (
        <Button variant="default" leftSection={<Copy size={16} aria-hidden />} onClick={copy}>
          {copied ? say.copied : say.copy}
        </Button>
      )}
    </CopyButton>
  )
}

interface PlanDialogProps extends PlanProps {
  readonly onClose: () => void
}

function ChangeForm({ plan: { planId, name, notes }, onClose }: PlanDialogProps) {
  const change = useWrite(changePlan, {
    changes: CHANGED,
    onDone: () => {
      notify(say.changed)
      onClose()
    },
  })
  const form = useForm({
    initialValues: { name, notes },
    validate: { name: (value) => (value.trim() === '' ? save.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => change.mutate({ planId, name: values.name.trim(), notes: values.notes }))}
    >
      <Stack>
        {change.error && <Problem title={say.changeFailed} error={change.error} />}
        <TextInput label={save.name} maxLength={200} {...form.getInputProps('name')} />
        <Textarea label={save.notes} maxLength={5000} autosize minRows={3} {...form.getInputProps('notes')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {sayForm.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RemovePlan({ plan: { planId, name, people }, onClose }: PlanDialogProps) {
  const navigate = useNavigate()
  const remove = useWrite(removePlan, {
    onDone: async () => {
      notify(say.deleted(name))
      await navigate({ to: '/planner/plans' })
    },
    changes: [listPlans],
  })
  return (
    <Confirm
      isOpen
      title={say.deleteTitle(name)}
      go={say.delete}
      isPending={remove.isPending}
      error={remove.error}
      onGo={() => remove.mutate({ planId })}
      onClose={onClose}
    >
      {say.deleteText(people.length)}
    </Confirm>
  )
}

function DropPerson({
  plan: { planId, people },
  candidate,
  onClose,
}: PlanDialogProps & { readonly candidate: Candidate }) {
  const drop = useWrite(changePlan, {
    changes: CHANGED,
    onDone: () => {
      notify(say.dropped(nameOf(candidate)))
      onClose()
    },
  })
  const rest = people.map(({ handle }) => handle).filter((handle) => handle !== candidate.handle)
  return (
    <Confirm
      isOpen
      title={say.dropTitle(nameOf(candidate))}
      go={sayCandidates.remove}
      isPending={drop.isPending}
      error={drop.error}
      onGo={() => drop.mutate({ planId, people: rest })}
      onClose={onClose}
    >
      {say.dropText}
    </Confirm>
  )
}
