import { c, read, write } from '../database/statement.ts'

export const keepFact = write('installation.keep', {
  params: { name: c.text, value: c.text },
  row: { value: c.text },
  text: `
    insert into installation as i (name, value) values (:name, :value)
    on conflict (name) do update set value = i.value
    returning value`,
})

export const replaceFact = write('installation.replace', {
  params: { name: c.text, value: c.text },
  row: { value: c.text },
  text: `
    insert into installation (name, value) values (:name, :value)
    on conflict (name) do update set value = excluded.value
    returning value`,
})

export const keepFacts = write('installation.keepMany', {
  params: { names: c.textArray, value: c.text },
  row: { name: c.text },
  text: `
    insert into installation (name, value) select unnest(:names), :value
    on conflict (name) do nothing returning name`,
})

export const findFact = read('installation.findOne', {
  params: { name: c.text },
  row: { value: c.text },
  gather: false,
  text: `select value from installation where name = :name`,
})

export const findFacts = read('installation.find', {
  params: { names: c.textArray },
  row: { name: c.text },
  gather: false,
  text: `select name from installation where name = any(:names)`,
})

export const dropFact = write('installation.drop', {
  params: { name: c.text },
  row: { name: c.text },
  text: `delete from installation where name = :name returning name`,
})
