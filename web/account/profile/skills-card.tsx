import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { readSkills, type Skills, setSkills } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { X } from '../../parts/icons.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { accountWords } from '../words.ts'
import classes from './skills-card.module.css'

const route = getRouteApi('/signed-in/account/profile')
const { skills: say } = accountWords
const LISTS = ['skills', 'hobbies', 'education'] as const
const MOST_ENTRIES = 50
const MOST_LETTERS = { skills: 100, hobbies: 100, education: 200 }

/** Lets the person edit the skills, hobbies and education by which planners find people. */
export function SkillsCard() {
  const skills = useQuery(route.useLoaderData().skills)
  return (
    <Card title={say.title}>
      <Text size="sm" mb="md">
        {say.text}
      </Text>
      <Loaded query={skills}>
        {(all) => (
          <Stack gap="lg">
            {LISTS.map((list) => (
              <SkillList key={list} skills={all} list={list} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Card>
  )
}

function SkillList({ skills, list }: { readonly skills: Skills; readonly list: (typeof LISTS)[number] }) {
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  const set = useWrite(setSkills, { changes: [readSkills] })
  const entries = skills[list]
  useUnsaved(() => text.trim() !== '')
  const { label, help, none } = say.lists[list]
  const add = () => {
    const entry = text.trim()
    if (entry === '' || entries.includes(entry)) return setFault(entry === '' ? say.missing : say.twice)
    const onSuccess = () => {
      setText('')
      notify(say.added(entry))
    }
    set.mutate({ [list]: [...entries, entry] }, { onSuccess })
  }
  const remove = (entry: string) =>
    set.mutate(
      { [list]: entries.filter((one) => one !== entry) },
      { onSuccess: () => offerUndo(say.removed(entry), () => set.mutate({ [list]: entries })) },
    )
  return (
    <section aria-label={label}>
      {set.error && <Problem title={say.failed} error={set.error} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <Group align="flex-start" wrap="nowrap">
          <TextInput
            flex={1}
            label={label}
            description={entries.length === 0 ? `${none} ${help}` : help}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={MOST_LETTERS[list]}
            value={text}
            error={fault}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setFault(undefined)
            }}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.add}
            aria-label={say.addTo(label)}
            loading={set.isPending}
            disabled={entries.length >= MOST_ENTRIES}
          >
            {say.add}
          </Button>
        </Group>
      </form>
      {entries.length > 0 && (
        <ul className={classes.list} aria-label={label}>
          {entries.map((entry) => (
            <li key={entry}>
              <Button
                size="compact-sm"
                variant="default"
                rightSection={<X size={14} aria-hidden />}
                aria-label={say.remove(entry)}
                disabled={set.isPending}
                onClick={() => remove(entry)}
              >
                {entry}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
